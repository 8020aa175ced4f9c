// One thread with its people and its workers, of the real core code, over ports in memory. Every call of a port takes two steps of
// the schedule: it arrives, and its answer does. A worker that dies gets no answer any more; what it had sent still arrives.
import type { Scheduler } from "fast-check";
import { createHash } from "node:crypto";
import { createLocalStops } from "../../src/adapters/local/stops.ts";
import { createProfileOf } from "../../src/core/agent/frozen-profile.ts";
import { checkLimits } from "../../src/core/agent/limits.ts";
import { allowAll } from "../../src/core/agent/tool.ts";
import { BobbinError } from "../../src/core/errors.ts";
import type { Inbound, MessageInbound } from "../../src/core/inbound.ts";
import type { Inbox } from "../../src/core/ports/inbox.ts";
import type { Lease } from "../../src/core/ports/locker.ts";
import type { Written } from "../../src/core/ports/surface.ts";
import type { Fence, RunStore } from "../../src/core/ports/run-store.ts";
import { createIntake } from "../../src/core/run/intake.ts";
import { createRunSession } from "../../src/core/run/run-session.ts";
import { createServe } from "../../src/core/run/serve-session.ts";
import { createSweeper } from "../../src/core/run/sweeper.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { command, message, newSession } from "../contract/store-samples.ts";
import { tool } from "../support/agent-library.ts";
import { FakeThread } from "../support/fake-surface.ts";
import { openMemoryLedger } from "../support/memory-ledger/open.ts";
import { createMemoryPages } from "../support/memory-ledger/reading.ts";
import { isStopped, isWork, waitingOf } from "../support/memory-ledger/rows.ts";
import {
  calls,
  computed,
  fails,
  later,
  reply,
  scriptedModel,
  scriptedRecord,
  type ScriptedStep,
} from "../support/scripted-model.ts";
import { silentLog } from "../support/silent-log.ts";
import { createCoordination, LEASE_MS, never, type Coordination, type Member } from "./coordination.ts";
import {
  REACTIONS,
  SLOW,
  type Behaviour,
  type Flaws,
  type Happening,
  type Plan,
  type Weather,
} from "./schedule-plan.ts";
import { endsWithAnswer } from "./endings.ts";
import { virtualTime } from "./virtual-time.ts";
import { accessWith } from "../support/access.ts";

interface Process extends Member {
  readonly leaving: AbortController;
}

/** What changes what people see. */
const WRITES = { post: true, edit: true };
/** More steps than any schedule that ends ever took. */
const MOST_STEPS = 20_000;

export class ScheduleWorld {
  readonly session: SessionId = newSession();
  readonly #clock = virtualTime();
  readonly #scheduler: Scheduler;
  readonly #flaws: Flaws;
  readonly #coordination: Coordination;
  readonly #memory = openMemoryLedger(this.#clock);
  readonly ledger = this.#memory.ledger;
  readonly thread: FakeThread;
  readonly model: ReturnType<typeof scriptedModel>;
  readonly writesOf = new Map<string, number>();
  readonly said: MessageInbound[] = [];
  /** Messages that waited when a stop was stored, and runs that stored a round after one. */
  readonly takenBack = new Set<string>();
  readonly stopped = new Set<string>();
  readonly #wrongs: string[] = [];
  readonly #store: RunStore;
  readonly #inbox: Inbox;
  readonly #stops = createLocalStops();
  readonly #processes = new Set<Process>();
  #names = 0;
  #calls = 0;
  deaths = 0;
  #storeFailures = 0;
  #newestFence = 0;
  #slowSteps = 0;
  #isPlanned = false;
  #steps = 0;

  constructor(scheduler: Scheduler, flaws: Flaws, behaviours: readonly Behaviour[]) {
    this.#scheduler = scheduler;
    this.#flaws = flaws;
    this.thread = new FakeThread({ clock: this.#clock, editEveryMs: 0, mergesKeys: true });
    this.#coordination = createCoordination(this, this.#clock, {
      isExclusive: flaws.isShared !== true,
      keepsWake: flaws.losesWakes !== true,
    });
    const { store, inbox } = this.#memory;
    this.#store = this.#watched(flaws.store?.(store, this.session) ?? store);
    this.#inbox = flaws.inbox?.(inbox) ?? inbox;
    let asked = 0;
    const next = computed(() => {
      const call = ++asked;
      return later(
        this.step(`the model answers call ${call}`),
        this.#answer(behaviours[call - 1] ?? "answers", call),
      );
    });
    this.model = scriptedModel(...Array.from({ length: 100 }, () => next));
  }

  step(name: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), name);
  }

  begin(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#wrongs.push(`a step of the schedule failed: ${String(error)}`));
  }

  /** Plays the plan, and then on until nothing is left to do. */
  async play(plan: Plan, weather: Weather): Promise<void> {
    const sweeper = createSweeper({
      store: this.#store,
      queue: { wake: () => this.#coordination.wake() },
      clock: this.#clock,
      log: silentLog,
      random: () => 0,
      exclusive: (body) => body(),
    });
    for (let count = 0; count < 2; count++) this.#spawn();
    if (weather === "rough") sweeper.start();
    this.begin(this.#happen(plan));
    for (; !(await this.#isAtRest()); this.#steps++) {
      if (this.#steps > MOST_STEPS) {
        this.#wrongs.push("it never came to rest");
        break;
      }
      if (this.#scheduler.count() > 0) await this.#scheduler.waitNext(1);
      else if (!this.#clock.next()) {
        this.#wrongs.push("nothing happens any more");
        break;
      }
    }
    await sweeper.stop();
  }

  get wrongs(): readonly string[] {
    return [...this.#wrongs, ...this.#coordination.wrongs];
  }

  async #isAtRest(): Promise<boolean> {
    // Everything that needs no other step is done first, so that what may come next is the same in every replay.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const { reply } = this.ledger.runs.findLast((run) => run.reply !== "settled") ?? {};
    return (
      this.#isPlanned &&
      this.#scheduler.count() === 0 &&
      this.#coordination.isIdle &&
      reply === undefined &&
      !waitingOf(this.ledger, this.session).some(isWork)
    );
  }

  #answer(how: Behaviour, call: number): ScriptedStep {
    switch (how) {
      case "answers":
        return reply({ deltas: ["answer ", `number ${call}`] });
      case "reads":
        return calls([`r${call}`, "read", { call }]);
      case "writes":
        return calls([`w${call}`, "write", { call }]);
      case "fails":
        return fails("model_unavailable", "half a ");
      default:
        return how satisfies never;
    }
  }

  async #happen({ happenings }: Plan): Promise<void> {
    await this.#receive(this.#newMessage());
    for (const { after, what, which } of happenings) {
      for (let hop = 0; hop < after; hop++) await this.step("…");
      this.#do(what, which);
    }
    this.#isPlanned = true;
  }

  #newMessage(): MessageInbound {
    const inbound = message(this.session, `m${this.said.length + 1}.`);
    this.said.push(inbound);
    return inbound;
  }

  #do(what: Happening["what"], which: number): void {
    const process = [...this.#processes].toSorted((a, b) => Number(b.isBusy) - Number(a.isBusy))[0];
    switch (what) {
      case "say":
        return this.begin(this.#receive(this.#newMessage()));
      case "copy":
        return this.begin(this.#receive(this.said.at(-1) ?? this.#newMessage()));
      case "stop":
        return this.begin(this.#receive(command(this.session, "stop")));
      case "kill":
        return process === undefined ? undefined : this.#kill(process);
      case "end":
        if (process === undefined) return undefined;
        process.isClosing = true;
        process.leaving.abort();
        this.#processes.delete(process);
        return this.#spawn();
      case "stall":
        return this.#coordination.stall(which % 2 === 0);
      case "lease":
        return this.#coordination.loseLease(which % 2 === 0);
      case "flush":
        return this.#coordination.flush();
      case "mute":
        return this.#coordination.mute();
      case "store":
        this.#storeFailures += 1 + (which % 2);
        return undefined;
      case "time":
        return this.#clock.pass([10, 400, 1_500, 4_100, 8_000, 16_000][which] ?? 10);
      case "platform":
        if (which < SLOW.length) this.#slowSteps = SLOW[which] ?? 0;
        else this.thread.reactions.push(REACTIONS[which - SLOW.length] ?? { kind: "ok" });
        return undefined;
      default:
        return what satisfies never;
    }
  }

  #kill(process: Process): void {
    process.isDead = true;
    this.deaths += 1;
    this.#processes.delete(process);
    this.#coordination.died(process);
    this.#spawn();
  }

  /** The gateway: its calls take steps as those of a worker do. */
  async #receive(inbound: Inbound): Promise<void> {
    const wake = async (): Promise<void> => {
      await this.step("a wake arrives");
      await this.#coordination.wake();
    };
    if (this.#flaws.wakesFirst === true) await wake();
    const inbox: Inbox = {
      put: async (given) => {
        await this.step(`${given.kind} is stored`);
        const waiting = waitingOf(this.ledger, this.session).filter(isWork);
        const stored = await this.#inbox.put(given);
        if (given.kind === "command" && stored.kind === "stored")
          for (const row of waiting) this.takenBack.add(row.inbound.id);
        return stored;
      },
    };
    const queue = { wake: this.#flaws.wakesFirst === true ? async () => {} : wake };
    const deps = { access: accessWith(), stops: this.#stops, clock: this.#clock, log: silentLog };
    await createIntake({ inbox, queue, ...deps }).receive(inbound);
  }

  #spawn(): void {
    const name = `worker ${++this.#names}`;
    const leaving = new AbortController();
    const process: Process = {
      name,
      leaving,
      isDead: false,
      isClosing: false,
      isBusy: false,
      serve: (lost) => serve(this.session, AbortSignal.any([leaving.signal, lost])),
    };
    const store = this.#remote(this.#store, process, () => {
      if (this.#storeFailures === 0) return;
      this.#storeFailures -= 1;
      this.deaths += 1;
      throw new BobbinError("store_unavailable", "the store is away", { retryable: true });
    });
    const stepOf = createRunSession(
      {
        store,
        pages: this.#remote(this.#watched(createMemoryPages(this.ledger)), process),
        stops: this.#stops,
        clock: this.#clock,
        log: silentLog,
        newId: () => `call${++this.#calls}`,
        hash: (text) => createHash("sha256").update(text).digest("hex"),
        model: this.model,
        profileOf: createProfileOf(
          {
            model: scriptedRecord,
            system: "You are Bobbin.",
            tools: [tool("read", "seen"), this.#writes(process)],
            gate: allowAll,
            limits: checkLimits({}),
            caching: true,
          },
          (text) => text.slice(0, 8),
        ),
        surfaceOf: () => this.#remote(this.thread, process, (sentAt) => this.#mayArrive(sentAt)),
      },
      { worker: name, lateWritesMs: this.#flaws.lateWritesMs ?? LEASE_MS },
    );
    const flawed = (lease: Lease): Lease => this.#flaws.lease?.(lease) ?? lease;
    const serve = createServe({
      locker: this.#coordination.lockerOf(process),
      store,
      step: (session, lease, leave) => stepOf(session, flawed(lease), leave),
      log: silentLog,
    });
    this.#processes.add(process);
    this.#coordination.join(process);
  }

  #writes(process: Process) {
    const run = async (_: unknown, { call }: { readonly call: string }): Promise<void> => {
      await this.step("a tool works");
      if (process.isDead) return never();
      this.writesOf.set(call, (this.writesOf.get(call) ?? 0) + 1);
      return undefined;
    };
    return tool("write", run, { effect: "write" });
  }

  /** A write lands soon or never: what is sent while nobody knows of the loss is there before a lease time has passed. */
  async #mayArrive(sentAt: number): Promise<Written | undefined> {
    const steps = this.#slowSteps;
    this.#slowSteps = 0;
    for (let count = 0; count < steps; count++) await this.step("a slow platform");
    if (this.#clock.ticks() - sentAt < LEASE_MS / 2) return undefined;
    return { kind: "unknown", why: "it took too long" };
  }

  /** The port as a process reaches it. */
  #remote<P extends object>(port: P, process: Process, onArrival: (sentAt: number) => unknown = () => {}): P {
    return new Proxy(port, {
      get: (target, method) => {
        const own: unknown = Reflect.get(target, method, target);
        if (typeof own !== "function" || typeof method !== "string") return own;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          if (process.isDead) return never();
          const sentAt = this.#clock.ticks();
          if (method in WRITES && !this.#coordination.isLive(process))
            this.#wrongs.push("a write to the platform began without the lease");
          await this.step(`${process.name}: ${method} arrives`);
          const work = (async (): Promise<unknown> => {
            // Reading, also again, does no harm.
            const instead = method === "find" ? undefined : await onArrival(sentAt);
            return instead ?? Reflect.apply(own, target, args);
          })();
          await work.catch(() => {});
          await this.step(`${process.name}: the answer of ${method}`);
          return process.isDead ? never() : work;
        };
      },
    });
  }

  /** Looks at each write that is taken. */
  #watched<P extends object>(port: P): P {
    return new Proxy(port, {
      get: (target, method) => {
        const own: unknown = Reflect.get(target, method, target);
        if (typeof own !== "function" || typeof method !== "string") return own;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          const fence = typeof args[0] === "object" ? (args[0] as Fence) : undefined;
          const wasStopped = fence !== undefined && this.#isStopped(fence);
          const answer: unknown = await Reflect.apply(own, target, args);
          if (method === "open") this.#newestFence = this.ledger.sessions.get(this.session)?.fence ?? 0;
          if (fence === undefined || !["commitRound", "end", "settled", "put", "remove"].includes(method))
            return answer;
          if (fence.number < this.#newestFence)
            this.#wrongs.push(`a write of an older attempt was taken: ${method}`);
          if (method === "commitRound" && wasStopped) this.stopped.add(fence.run);
          if (method === "end" && wasStopped && endsWithAnswer(args[1])) this.stopped.add(fence.run);
          if (method === "end") this.#lookAtEnd(fence, args[1], answer, wasStopped);
          return answer;
        };
      },
    });
  }

  #isStopped(fence: Fence): boolean {
    const session = this.ledger.sessions.get(this.session);
    const run = this.ledger.runs.find(({ id }) => id === fence.run);
    return session !== undefined && run !== undefined && run.reply === "open" && isStopped(session, run);
  }

  #lookAtEnd(fence: Fence, ending: unknown, answer: unknown, wasStopped: boolean): void {
    const { reason, isLast } = ending as { readonly reason: string; readonly isLast?: true };
    const { kind } = answer as { readonly kind: string };
    if (kind !== "ended" || reason !== "stop" || isLast === true || wasStopped) return;
    if (waitingOf(this.ledger, fence.session).some(isWork))
      this.#wrongs.push("what was written before the end was not taken in");
  }
}
