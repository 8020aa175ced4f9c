// A ledger in memory with what writes into it. Its runs are called run0, run1 and so on.
import type { Inbox } from "../../../src/core/ports/inbox.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import type { RunStore } from "../../../src/core/ports/run-store.ts";
import { createMemoryInbox } from "./inbox.ts";
import { createMemoryLedger, type MemoryLedger } from "./rows.ts";
import { createMemoryRunStore } from "./run-store.ts";

export interface OpenMemoryLedger {
  readonly ledger: MemoryLedger;
  readonly inbox: Inbox;
  readonly store: RunStore;
}

/** @param tailLimit of the run store; its own default unless said. */
export function openMemoryLedger(clock: Pick<Clock, "now">, tailLimit?: number): OpenMemoryLedger {
  let ids = 0;
  const ledger = createMemoryLedger(
    () => clock.now(),
    () => `run${ids++}`,
  );
  return { ledger, inbox: createMemoryInbox(ledger), store: createMemoryRunStore(ledger, tailLimit) };
}
