/**
 * Erases, thread by thread: what runs is stopped and may say so on the platform, and whether it has or not, the fence is raised in the
 * same write that takes the words away. What a dying process leaves is taken up by the next one.
 */

import type { NewId } from "../ids.ts";
import { pause } from "../pause.ts";
import type { Audit } from "../ports/audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { Begun, ErasedThing, Erasures } from "../ports/erasures.ts";
import type { Log } from "../ports/log.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Person } from "../ports/sign-ins.ts";
import type { Stops } from "../ports/stops.ts";
import type { SessionId } from "../thread.ts";

export interface EraserDeps {
  readonly erasures: Erasures;
  readonly audit: Audit;
  readonly stops: Pick<Stops, "signal">;
  readonly queue: RunQueue;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

export interface EraserOptions {
  /** How long a run may take to end by itself before its fence is raised, ms. Default 5,000. */
  readonly endsWithinMs?: number;
  /** From one look for erasures that nobody works on to the next, ms. Default 60,000. */
  readonly everyMs?: number;
}

export type Erased =
  | Exclude<Begun, { readonly kind: "begun" }>
  | { readonly kind: "begun"; readonly id: string };

export interface Eraser {
  /** Written down and durable when it resolves; the threads follow. @see done */
  erase(thing: ErasedThing, reason: string, who: Person): Promise<Erased>;
  /** Resolves when this process works on the erasure no more. */
  done(id: string): Promise<void>;
  /** Takes up what others left, now and then. */
  start(): void;
  /** Begins no more threads; resolves when the one under way is erased. */
  stop(): Promise<void>;
}

const LOOK_MS = 100;
const ABANDONED_MS = 60_000;
const BATCH = 10;

export function createEraser(deps: EraserDeps, options: EraserOptions = {}): Eraser {
  const { erasures, audit, stops, queue, clock, newId, log } = deps;
  const { endsWithinMs = 5_000, everyMs = 60_000 } = options;
  const stopping = new AbortController();
  const working = new Map<string, Promise<void>>();
  let looking: Promise<void> = Promise.resolve();
  let cancel = (): void => {};

  async function eraseThread(id: string, session: SessionId): Promise<void> {
    if (await erasures.halt(id, session)) {
      await stops.signal(session).catch((error: unknown) => log.debug("a stop was not signalled", { error }));
      for (let waited = 0; waited < endsWithinMs && (await erasures.isRunning(session)); waited += LOOK_MS)
        await pause(clock, LOOK_MS);
    }
    await erasures.erase(id, session);
    // Somebody may have written meanwhile.
    await queue.wake(session).catch((error: unknown) => log.debug("not rung; the sweeper will", { error }));
  }

  /** Each thread once: one that fails keeps none of the others waiting. @throws AggregateError of all that failed, in the end. */
  async function work(id: string): Promise<void> {
    const tried = new Set<SessionId>();
    const errors: unknown[] = [];
    // Looked at anew each time: a branch that was made meanwhile joins them.
    const next = async (): Promise<SessionId | undefined> =>
      (await erasures.left(id)).find((each) => !tried.has(each));
    for (let session = await next(); session !== undefined; session = await next()) {
      if (stopping.signal.aborted) return;
      tried.add(session);
      await eraseThread(id, session).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} threads could not be erased`);
    await erasures.finish(id);
  }

  /** Known under its id for as long as this process works on it. */
  function takeUp(id: string): void {
    if (working.has(id)) return;
    const troubled = (error: unknown): void =>
      log.error("an erasure could not be finished; it is taken up again", { id, error });
    working.set(
      id,
      work(id)
        .catch(troubled)
        .finally(() => working.delete(id)),
    );
  }

  async function look(): Promise<void> {
    try {
      for (const id of await erasures.abandoned(ABANDONED_MS, BATCH)) {
        takeUp(id);
        await working.get(id);
      }
    } catch (error) {
      log.warn("whether an erasure was left unfinished cannot be seen; it is looked for again", { error });
    }
  }

  const plan = (): void => {
    if (stopping.signal.aborted) return;
    looking = looking.then(look);
    cancel = clock.after(everyMs, plan);
  };

  return {
    async erase(thing, reason, who) {
      const id = newId();
      const session = thing.kind === "thread" ? { session: thing.subject } : {};
      // Before anything happens, and without the reason's words: it stands in the erasure.
      await audit.write({
        who,
        kind: "erase",
        ...session,
        about: `${thing.kind} ${thing.subject}, erasure ${id}`,
      });
      const begun = await erasures.begin(id, thing, reason, who);
      if (begun.kind === "begun") {
        takeUp(id);
        return { kind: "begun", id };
      }
      const why = begun.kind === "held" ? `held by hold ${begun.hold.id}` : "nothing of it is stored";
      await audit.write({ who, kind: "refused", ...session, about: `erasure ${id}: ${why}` });
      return begun;
    },
    done: (id) => working.get(id) ?? Promise.resolve(),
    start: plan,
    async stop() {
      stopping.abort();
      cancel();
      await looking;
      await Promise.all(working.values());
    },
  };
}
