// What every RunStore keeps; see src/core/ports/run-store.ts.
import type { ContractCase } from "./contract.ts";
import { claimCases } from "./run-store-claims.ts";
import { noteCases } from "./run-store-notes.ts";
import { crashCases } from "./run-store-crashes.ts";
import { roundCases } from "./run-store-rounds.ts";
import { stopCases } from "./run-store-stops.ts";
import type { RunStoreSubject } from "./run-store-subject.ts";

export const runStoreCases: readonly ContractCase<RunStoreSubject>[] = [
  ...claimCases,
  ...roundCases,
  ...stopCases,
  ...crashCases,
  ...noteCases,
];
