// The ledger in memory keeps what the one in Postgres keeps.
import { inboxCases } from "../../contract/inbox.ts";
import { pagesCases } from "../../contract/pages.ts";
import { runContract } from "../../contract/contract.ts";
import { runStoreCases } from "../../contract/run-store.ts";
import { openMemoryLedger } from "./open.ts";
import { createMemoryPages, createMemoryTranscripts } from "./reading.ts";

const tailLimit = 20;
function open() {
  const { ledger, inbox, store } = openMemoryLedger(Date, tailLimit);
  const subject = {
    inbox,
    store,
    transcripts: createMemoryTranscripts(ledger),
    pages: createMemoryPages(ledger),
    tailLimit,
  };
  return { subject, close: async () => {} };
}

runContract("RunStore in memory", runStoreCases, open);
runContract("Inbox in memory", inboxCases, open);
runContract("Pages in memory", pagesCases, open);
