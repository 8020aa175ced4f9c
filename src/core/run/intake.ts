/**
 * An inbound arrives: store, wake, and only then may the adapter acknowledge. In that order, always: what was
 * acknowledged is stored, and a bell that could not be rung is rung by the sweeper. Here, for every surface, it is decided
 * whether whoever it is of may do that; the decision is stored with it.
 */

import { admissionOf, answerTo, type Access } from "../access/access.ts";
import type { Inbound } from "../inbound.ts";
import { withTimeLimit } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Admission, Inbox, Stored } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Stops } from "../ports/stops.ts";

export type Receipt =
  | { readonly kind: "stored"; readonly running: boolean }
  | { readonly kind: "duplicate" }
  /**
   * Kept as refused; nothing will come of it. `answer`: what to tell the person where they asked directly, also for a copy; absent
   * where the thread's own settings keep it from the bot, which is told to nobody.
   */
  | { readonly kind: "refused"; readonly rule: string; readonly answer?: string }
  | { readonly kind: "ignored" };

export interface Intake {
  /**
   * Rejects only when the inbound could not be stored (`store_unavailable`, `store_full`): then it must not be
   * acknowledged, and the platform or the browser sends it again.
   * @param put stores it in place of the inbox, together with something of the adapter's own.
   */
  receive(inbound: Inbound, put?: (admission: Admission) => Promise<Stored>): Promise<Receipt>;
}

export interface IntakeDeps {
  readonly access: Access;
  readonly inbox: Inbox;
  readonly queue: RunQueue;
  readonly stops: Stops;
  readonly clock: Clock;
  readonly log: Log;
}

export interface IntakeOptions {
  /** How long an acknowledgement may wait for the bell, ms. Default 250. */
  readonly wakeMs?: number;
}

export function createIntake(deps: IntakeDeps, options: IntakeOptions = {}): Intake {
  const wakeMs = options.wakeMs ?? 250;

  /** The ledger has it: a bell that is late or fails is rung by the sweeper. */
  async function ring(what: string, bell: Promise<void>, { session }: Inbound): Promise<void> {
    try {
      await withTimeLimit(deps.clock, wakeMs, "the bell", bell);
    } catch (error) {
      deps.log.warn("the bell could not be rung; the sweeper will", { what, session, error });
    }
  }

  return {
    async receive(inbound, put = (admission) => deps.inbox.put(inbound, admission)) {
      const decision = deps.access.decide(inbound);
      const admission = admissionOf(decision, inbound);
      if (admission === undefined) {
        deps.log.debug("ignored", { session: inbound.session, rule: decision.rule });
        return { kind: "ignored" };
      }
      const stored = await put(admission);
      if (stored.kind === "ignored") return stored;
      const refusedBy = refusalIn(stored);
      if (refusedBy !== undefined) {
        const answer = inbound.addressed ? answerTo(decision, refusedBy) : undefined;
        return { kind: "refused", rule: refusedBy, ...(answer === undefined ? {} : { answer }) };
      }
      // A copy rings too: the first one may have died between its store and its wake.
      const bells = [ring("wake", deps.queue.wake(inbound.session), inbound)];
      if (
        inbound.kind === "command" &&
        (inbound.command.name === "stop" || inbound.command.name === "reset")
      ) {
        bells.push(ring("stop", deps.stops.signal(inbound.session), inbound));
      }
      await Promise.all(bells);
      return stored.kind === "stored" ? { kind: "stored", running: stored.running } : { kind: "duplicate" };
    },
  };
}

function refusalIn(stored: Stored): string | undefined {
  if (stored.kind === "refused") return stored.rule;
  return stored.kind === "duplicate" ? stored.refused : undefined;
}
