// The ledger in memory keeps what the one in Postgres keeps.
import { randomBytes } from "node:crypto";
import { inboxCases } from "../../contract/inbox.ts";
import { pagesCases } from "../../contract/pages.ts";
import { runContract } from "../../contract/contract.ts";
import { runStoreCases } from "../../contract/run-store.ts";
import { createMemoryInbox } from "./inbox.ts";
import { createMemoryPages, createMemoryTranscripts } from "./reading.ts";
import { createMemoryLedger } from "./rows.ts";
import { createMemoryRunStore } from "./run-store.ts";

const tailLimit = 20;
function open() {
  const ledger = createMemoryLedger(
    () => Date.now(),
    () => randomBytes(12).toString("hex"),
  );
  const subject = {
    inbox: createMemoryInbox(ledger),
    store: createMemoryRunStore(ledger, tailLimit),
    transcripts: createMemoryTranscripts(ledger),
    pages: createMemoryPages(ledger),
    tailLimit,
  };
  return { subject, close: async () => {} };
}

runContract("RunStore in memory", runStoreCases, open);
runContract("Inbox in memory", inboxCases, open);
runContract("Pages in memory", pagesCases, open);
