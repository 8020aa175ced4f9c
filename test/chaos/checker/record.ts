// What is left of a chaos run, as plain data: what people did, what stands in the threads, what the model and the tools were
// asked, what the database holds and saw. The checker reads this and nothing else.
import type { Deed } from "../tools.ts";

/** What people ask of goals. */
export type GoalOrder = "set" | "replace" | "edit" | "pause" | "resume" | "clear" | "budget";

/** ms since 1970. */
interface Timed {
  readonly saidAt: number;
  /** When it was known whether it was taken in. */
  readonly takenAt: number;
}

export type Act =
  | {
      readonly kind: "question";
      readonly tag: number;
      readonly session: string;
      /** The platform's id of it. */
      readonly message: string;
      /** Acknowledged. */
      readonly taken: boolean;
      /** Said in a thread before it was known to be the bot's, and not to the bot by name. */
      readonly mayBeIgnored: boolean;
    }
  | (Timed & {
      readonly kind: "stop" | "reset" | "retry";
      readonly session: string;
      readonly taken: boolean;
      /** A button below an answer, which says "ended already" of one that has. */
      readonly isOfAnswer?: true;
    })
  | (Timed & {
      readonly kind: "goal";
      readonly session: string;
      readonly order: GoalOrder;
      readonly taken: boolean;
    })
  | {
      readonly kind: "edit" | "delete";
      readonly session: string;
      readonly message: string;
      readonly taken: boolean;
    };

export interface ShownMessage {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly ("stop" | "retry")[];
  /** A file, which holds the whole answer once more. */
  readonly isFile?: true;
}

/** A thread as people see it in the end. */
export interface ShownThread {
  readonly session: string;
  /** Somebody deleted what it hung on: there is nobody left to answer. */
  readonly isGone: boolean;
  /** What the bot says there, in order. */
  readonly fromBot: readonly ShownMessage[];
}

export interface InboxRow {
  readonly seq: number;
  readonly id: string;
  readonly session: string;
  readonly kind: string;
  readonly message: string | null;
  readonly state: string;
  readonly run: string | null;
  readonly fate: string | null;
  readonly reason: string | null;
}

export interface RunRow {
  readonly id: string;
  readonly session: string;
  readonly cause: string;
  /** ms since 1970. */
  readonly started_at: number;
  readonly reply: string;
  readonly reason: string | null;
  readonly error_code: string | null;
  /** The run that it tries again. */
  readonly retry_of: string | null;
}

export interface AttemptRow {
  readonly run: string;
  readonly session: string;
  readonly fence: number;
  readonly worker: string;
  readonly ended: string | null;
}

export interface EntryRow {
  readonly session: string;
  readonly epoch: number;
  readonly seq: number;
  readonly run: string | null;
  readonly kind: string;
  readonly inbound: string | null;
  readonly body: {
    readonly text?: string;
    readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
    readonly call?: string;
  };
}

export interface PageRow {
  readonly run: string;
  readonly index: number;
  readonly key: string;
  readonly message: string | null;
}

export interface GoalBody {
  readonly id: string;
  readonly revision: number;
  readonly generation: number;
  readonly status: string;
  readonly closed?: string;
  readonly windows: Readonly<
    Record<"tokens" | "turns" | "activeMs", { readonly used: number; readonly limit: number }>
  >;
  readonly next?: {
    readonly generation: number;
    readonly revision: number;
    readonly n: number;
    readonly dueAt: number;
  };
  readonly wait?: { readonly until: number };
  readonly lastTurns?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface GoalRow {
  readonly id: string;
  readonly session: string;
  readonly status: string;
  readonly closed: string | null;
  readonly body: GoalBody;
  /** The message that shows it. */
  readonly card_message: string | null;
}

/** A line of a goal's audit: what happened, and what the goal was behind it. */
export interface GoalEventRow {
  readonly goal: string;
  readonly n: number;
  readonly at: number;
  readonly kind: string;
  readonly body: GoalBody;
}

export interface ModelCallRow {
  readonly session: string;
  readonly run: string;
  readonly started_at: number;
  readonly outcome: string;
}

/** A request to the model as the page of its thread shows it. */
export interface ShownRequest {
  readonly call: string;
  readonly session: string;
  readonly outcome: string;
  /** Built again from what the page shows; undefined where there is no such page. */
  readonly body: string | undefined;
  /** The page says that these are the bytes that were sent; undefined where it says that none were. */
  readonly isSame: boolean | undefined;
}

/** A write as a trigger saw it: whose session it was in that moment, and who wrote. */
export interface NotedWrite {
  readonly n: number;
  readonly writer: string;
  /** The table. */
  readonly of: string;
  readonly session: string | null;
  /** The session's, after the write. */
  readonly fence: number | null;
  /** Who has claimed the session with that fence. */
  readonly owner: string | null;
  readonly was: Readonly<Record<string, unknown>> | null;
  readonly now: Readonly<Record<string, unknown>> | null;
}

export interface ChaosRecord {
  readonly seed: number;
  readonly acts: readonly Act[];
  readonly threads: readonly ShownThread[];
  /** What the bot says outside of threads. */
  readonly strays: readonly string[];
  /** What the platform or people would have punished. */
  readonly complaints: readonly string[];
  /** Bodies of requests to the model, in their order. */
  readonly requests: readonly string[];
  readonly deeds: readonly Deed[];
  readonly inbox: readonly InboxRow[];
  readonly runs: readonly RunRow[];
  readonly attempts: readonly AttemptRow[];
  readonly entries: readonly EntryRow[];
  readonly pages: readonly PageRow[];
  readonly goals: readonly GoalRow[];
  readonly goalEvents: readonly GoalEventRow[];
  readonly modelCalls: readonly ModelCallRow[];
  /** Of as many calls of the model as are looked at, drawn from the seed. */
  readonly shown: readonly ShownRequest[];
  readonly writes: readonly NotedWrite[];
}

/** One thing that must not be. */
export interface Broken {
  readonly invariant: string;
  readonly what: string;
}
