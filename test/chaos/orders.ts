// What the run tells a process of the product, at its start and while it works.

/** A rule of the product that is taken out, to see that the suite notices. */
export type Undo =
  /** The database takes writes with any fence. */
  | "fence"
  /** Nobody looks at the ledger again after the lease was released. */
  | "look"
  /** A message is acknowledged first and stored later. */
  | "ack"
  /** The end of a turn forgets to plan the next one. */
  | "plan"
  /** A goal's turn that was begun stays planned. */
  | "begin"
  /** Whoever pauses or clears a goal is told so, and nothing is done. */
  | "pause"
  /** What a goal costs is not counted. */
  | "count";

export const UNDOS: readonly Undo[] = ["fence", "look", "ack", "plan", "begin", "pause", "count"];

/** In the environment as JSON, by this name. */
export const ORDERS = "CHAOS_ORDERS";

/** How soon Discord's gateway is entered anew: the local one takes an identify in a tenth of the real one's time. */
export const IDENTIFIES = { apartMs: 500, longestWaitMs: 2_000 };

export interface StartOrders {
  /** Where tools do their work. */
  readonly workshop: string;
  readonly undo: readonly Undo[];
  /** Whether the ledger is swept for what nobody rang for. */
  readonly sweeps: "on" | "off";
  readonly jobLockMs: number;
  /** How long a connection to Postgres is used; the product's own time unless said. */
  readonly connectionLifeMs?: number;
}

/** At this moment (`before commit-round`, `after inbox-put`, `before tool`) the process does this to itself, once. */
export interface MomentOrder {
  readonly at: string;
  readonly signal: "SIGSTOP" | "SIGKILL";
}

/** Takes back what was ordered before. */
export const NEVER: MomentOrder = { at: "never", signal: "SIGSTOP" };
