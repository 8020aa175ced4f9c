// One thread of the bot with everything real but the platform, the model and the time: the intake, the ledger in Postgres, and
// as many workers as a test wants, each of which can leave, die, or lose its lease.
import { shutDoor } from "./shut-door.ts";
import { memoryFeedback } from "./memory-feedback.ts";
import { noBranching } from "./no-branching.ts";
import { randomBytes } from "node:crypto";
import { sha256 } from "../../src/adapters/ids.ts";
import { createLocalStops } from "../../src/adapters/local/stops.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import { createCommands } from "../../src/core/command/commands.ts";
import type { Command, CommandName } from "../../src/core/command/command.ts";
import { checkLimits } from "../../src/core/agent/limits.ts";
import type { Limits, LoopProfile } from "../../src/core/agent/loop-types.ts";
import { allowAll, type Tool } from "../../src/core/agent/tool.ts";
import { createProfileOf, type ProfileOf } from "../../src/core/agent/frozen-profile.ts";
import type { Author, Inbound, MessageInbound } from "../../src/core/inbound.ts";
import { createGoalPolicies, DEFAULT_GOAL_RULES } from "../../src/core/goal/policy.ts";
import type { InboundId } from "../../src/core/ids.ts";
import type { Models } from "../../src/core/command/models.ts";
import type { ModelRecord } from "../../src/core/ports/model.ts";
import type { Surface } from "../../src/core/ports/surface.ts";
import { maskedStore, type StoredMask } from "../../src/core/mask-stored.ts";
import type { Backlog } from "../../src/core/run/backlog.ts";
import { createIntake } from "../../src/core/run/intake.ts";
import { createGoalTurns } from "../../src/core/run/goal-turn.ts";
import { createRunSession } from "../../src/core/run/run-session.ts";
import { createServe } from "../../src/core/run/serve-session.ts";
import type { Titler } from "../../src/core/run/titler.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { storesOver, type Stores } from "../adapters/postgres/store-subject.ts";
import { deletion, edit, message, newSession } from "../contract/store-samples.ts";
import { FakeThread } from "./fake-surface.ts";
import { losableLocker, type LosableLocker } from "./losable-locker.ts";
import { manualClock, type ManualClock } from "./manual-clock.ts";
import { Moments } from "./moments.ts";
import { scriptedModel, scriptedRecord, type ScriptedModel, type ScriptedStep } from "./scripted-model.ts";
import { goalCommands } from "./memory-goals.ts";
import { silentLog } from "./silent-log.ts";
import { isCalls, isFinalPage, lineOf, wordsOf } from "./run-words.ts";
import { until } from "./until.ts";
import { requestRefusals } from "./strict-provider.ts";
import { accessWith } from "./access.ts";

export interface RunBenchOptions {
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<Limits>;
  /** Models that a thread may use beside the usual one. */
  readonly listed?: readonly ModelRecord[];
  /** In place of the profile of this bench. */
  readonly profileOf?: ProfileOf;
  /** Stands between the replies and the thread. */
  readonly surface?: (surface: Surface) => Surface;
  /** Default 1,000, of the bench's own clock: time stands still unless a test moves it. */
  readonly graceMs?: number;
  readonly lateWritesMs?: number;
  /** Names new threads. */
  readonly titler?: () => Titler;
  /** Its workers also begin the turns that the thread's goal has planned. */
  readonly takes?: "goals";
  /** Reads what was said before the thread's first turn. Default: nothing was. */
  readonly backlog?: (bench: Pick<RunBench, "stores" | "clock">) => Backlog;
  /** Of what is stored. Default: it is stored as it was said. */
  readonly mask?: StoredMask;
}

/** A process that serves sessions. */
export interface BenchWorker {
  /** How many writes to the platform it began. */
  readonly writes: number;
  /** One service of the session, as a wake brings it. Rejects where a queue would log. */
  serve(): Promise<void>;
  /** One service that nobody waits for. */
  begin(): void;
  /** SIGTERM. */
  leave(): void;
  /** kill -9: nothing that it does from now on arrives anywhere, and its lease has run out. */
  die(): void;
}

/** To give up a place in a line, or to look for a post, writes nothing. */
const WRITES: ReadonlySet<string> = new Set(["post", "edit", "remove"]);

export class RunBench {
  readonly session: SessionId = newSession();
  readonly clock: ManualClock = manualClock();
  readonly thread: FakeThread;
  readonly model: ScriptedModel;
  readonly stores: Stores;
  readonly locker: LosableLocker = losableLocker();
  /**
   * Named by the store's methods (`open`, `commitRound`, `end`, `settled`, `leave`, `isStopped`), by `commitCalls`
   * for the reply of a round alone, `putPage`, and `write` or `final` for what goes to the platform.
   */
  readonly moments = new Moments();
  /** How often somebody was told to look at the session. */
  wakes = 0;
  readonly #options: RunBenchOptions;
  readonly #stops = createLocalStops();
  readonly #surface: Surface;
  #workers = 0;
  #commands = 0;

  constructor(sql: Sql, script: readonly ScriptedStep[], options: RunBenchOptions = {}) {
    this.#options = options;
    const { mask } = options;
    const stores = storesOver(sql);
    this.stores = mask === undefined ? stores : { ...stores, store: maskedStore(stores.store, mask) };
    this.model = scriptedModel(...script);
    this.thread = new FakeThread({ clock: this.clock, editEveryMs: 0 });
    this.#surface = options.surface?.(this.thread) ?? this.thread;
  }

  get key(): string {
    return `session:${this.session}`;
  }

  readonly #intake = () =>
    createIntake({
      access: accessWith(),
      inbox: this.stores.inbox,
      queue: { wake: async () => void this.wakes++ },
      stops: this.#stops,
      clock: this.clock,
      log: silentLog,
    });

  async receive(inbound: Inbound): Promise<void> {
    await this.#intake().receive(inbound);
  }

  async say(text: string, author: Author = { id: "U1", name: "Ana" }): Promise<MessageInbound> {
    const inbound = message(this.session, text, { author });
    await this.receive(inbound);
    return inbound;
  }

  async edit(of: MessageInbound, text: string): Promise<void> {
    await this.receive(edit(of, text));
  }

  async remove(of: MessageInbound): Promise<void> {
    await this.receive(deletion(of));
  }

  /** Tells who serves the session to look whether it was stopped. */
  async signalStop(): Promise<void> {
    await this.#stops.signal(this.session);
  }

  /** What the person reads. The same `id` is the same command delivered once more. */
  async command(given: CommandName | Command, id = `c${++this.#commands}`): Promise<string> {
    const commands = createCommands({
      branching: noBranching,
      access: accessWith(),
      intake: this.#intake(),
      transcripts: this.stores.transcripts,
      models: this.models,
      goals: goalCommands(),
      door: shutDoor,
      feedback: memoryFeedback(),
      clock: this.clock,
      log: silentLog,
    });
    const author = { id: "U1", name: "Ana" };
    const request = {
      session: this.session,
      author,
      id: `${this.session}/${id}` as InboundId,
      at: Date.now(),
    };
    return (await commands.run(typeof given === "string" ? { name: given } : given, request)).text;
  }

  worker(): BenchWorker {
    const leaving = new AbortController();
    let isDead = false;
    let writes = 0;
    const gate = <P extends object>(
      port: P,
      nameOf: (method: string, args: readonly unknown[]) => string,
    ): P => this.moments.around(port, () => isDead, nameOf);
    const name = `worker-${++this.#workers}`;
    const store = gate(this.stores.store, (method, [, round]) =>
      method === "commitRound" && isCalls(round) ? "commitCalls" : method,
    );
    const step = createRunSession(
      {
        store,
        pages: gate(this.stores.pages, (method) => `${method}Page`),
        pictures: this.stores.pictures,
        titler: this.#options.titler?.(),
        ...(this.#options.backlog === undefined ? {} : { backlog: this.#options.backlog(this) }),
        stops: this.#stops,
        clock: this.clock,
        log: silentLog,
        newId: () => randomBytes(12).toString("hex"),
        hash: sha256,
        model: this.model,
        goals: createGoalTurns(
          {
            policies: createGoalPolicies(DEFAULT_GOAL_RULES),
            ring: () => {},
            goals: gate(this.stores.goals, (method) => `goal.${method}`),
            cards: { changed: () => {}, shown: async () => {} },
            queue: { wake: async () => {} },
            clock: this.clock,
            log: silentLog,
          },
          new Set(),
        ),
        profileOf: this.#options.profileOf ?? createProfileOf(this.profile, sha256, this.models),
        surfaceOf: () =>
          gate(this.#surface, (method, [, page]) => {
            if (WRITES.has(method)) writes++;
            return isFinalPage(method, page) ? "final" : "write";
          }),
      },
      {
        worker: name,
        graceMs: this.#options.graceMs ?? 1000,
        lateWritesMs: this.#options.lateWritesMs ?? 0,
        ...(this.#options.takes === undefined ? {} : { takes: this.#options.takes }),
      },
    );
    const serve = createServe({
      locker: this.locker,
      store,
      step,
      sweeper: { lookSoon: () => {} },
      log: silentLog,
    });
    return {
      get writes() {
        return writes;
      },
      serve: () => serve(this.session, leaving.signal),
      begin: () => void serve(this.session, leaving.signal).catch(() => {}),
      leave: () => leaving.abort(),
      die: () => {
        isDead = true;
        this.locker.lose(this.key);
      },
    };
  }

  get models(): Models {
    return { usual: scriptedRecord, listed: this.#options.listed ?? [] };
  }

  /** What the model is told. */
  get profile(): LoopProfile {
    return {
      model: scriptedRecord,
      system: "You are Bobbin.",
      tools: this.#options.tools ?? [],
      gate: allowAll,
      limits: checkLimits(this.#options.limits),
      caching: true,
    };
  }

  /** Moves the clock until the promise has settled. */
  async passes<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const noted = promise.finally(() => (isSettled = true));
    noted.catch(() => {});
    const tick = async (): Promise<boolean> => (await this.clock.advance(isSettled ? 0 : 500), isSettled);
    await until(tick, { what: "it is done, with the clock moving" });
    return noted;
  }

  /** Another worker holds the thread's lease, and does nothing, until the promise has settled. */
  async heldElsewhere(promise: Promise<unknown>): Promise<void> {
    const locked = await this.locker.withLock(this.key, { mode: "try" }, () => promise);
    if (locked.kind === "busy") throw new Error("the lease is held");
  }

  /** Serves as healthy workers would until the ledger asks for nothing. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) {
      if (!(await this.stores.store.hasWork(this.session))) return;
      await this.worker()
        .serve()
        .catch(() => {});
    }
    throw new Error("the session never came to rest");
  }

  /** `text: fate` for each inbound, in the order in which they came; commands by their name. */
  async fates(): Promise<string[]> {
    const views = await this.stores.transcripts.inbounds(this.session);
    return views.map(({ inbound, fate, state }) => `${wordsOf(inbound)}: ${fate ?? state}`);
  }

  /** How the attempts of each run ended. */
  async attempts(): Promise<(string | undefined)[][]> {
    const runs = await this.stores.transcripts.runs(this.session);
    return runs.map((run) => run.attempts.map(({ ended }) => ended));
  }

  /** Text and footer of the pages that a person sees, without what it took. */
  shown(): string[] {
    return this.thread.visible().map(({ markdown, status, footer }) => {
      const under = status ?? footer?.replace(/(?: · )?(?:\d+ steps? · )?\d[^·]*$/u, "");
      return under === undefined || under === "" ? markdown : `${markdown} [${under}]`;
    });
  }

  /** What the model read in the n-th request. */
  asked(call: number): string[] {
    return (this.model.requests[call - 1]?.messages ?? []).map(lineOf);
  }

  /** What holds of every run that is over, whatever happened in it. */
  async problems(): Promise<string[]> {
    const { transcripts, store } = this.stores;
    const inbounds = await transcripts.inbounds(this.session);
    const runs = await transcripts.runs(this.session);
    const fences = runs.flatMap((run) => run.attempts.map(({ fence }) => fence));
    return [
      ...((await store.hasWork(this.session)) ? ["there is work left"] : []),
      ...inbounds
        // A correction of what was read waits for the next turn.
        .filter(
          ({ fate, inbound: { kind } }) => fate === undefined && (kind === "message" || kind === "command"),
        )
        .map(({ inbound }) => `no fate: ${wordsOf(inbound)}`),
      ...runs.filter(({ reply }) => reply !== "settled").map(({ id }) => `not settled: ${id}`),
      ...this.model.requests.flatMap((request, index) =>
        requestRefusals(request).map((why) => `request ${index + 1}: ${why}`),
      ),
      ...(new Set(fences).size === fences.length ? [] : ["a fence was given twice"]),
      ...this.thread.faults,
      ...(this.moments.pending > 0 ? [`${this.moments.pending} moments never came`] : []),
    ];
  }
}
