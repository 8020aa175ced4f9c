import type { InboundId } from "../../../src/core/ids.ts";
import type { Inbox } from "../../../src/core/ports/inbox.ts";
import { expectBroken, runContract } from "../../contract/contract.ts";
import { inboxCases } from "../../contract/inbox.ts";
import type { InboxSubject } from "../../contract/inbox-subject.ts";
import { pgliteBackend, postgresBackend, shared } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const postgres = postgresBackend();
const pglite = pgliteBackend();

for (const backend of [postgres, pglite]) {
  runContract(
    `Inbox: ${backend.name}`,
    inboxCases,
    shared(() => storesOver(backend.sql())),
  );
}

function broken(put: (inbox: Inbox, ...given: Parameters<Inbox["put"]>) => ReturnType<Inbox["put"]>) {
  return shared<InboxSubject>(() => {
    const stores = storesOver(postgres.sql());
    return { ...stores, inbox: { put: (...given) => put(stores.inbox, ...given) } };
  });
}

let count = 0;

expectBroken(
  "forgets what it has stored",
  inboxCases,
  broken((inbox, inbound, admission) =>
    inbox.put({ ...inbound, id: `${inbound.id}/${(count += 1)}` as InboundId }, admission),
  ),
  {
    noticedBy: [
      "the same identity again is a duplicate with the seq of the first, and changes nothing",
      "copies that arrive at the same time are stored once, and every delivery has the same seq",
      "a stop that is delivered twice does not cancel what came between",
      "a reset begins a new epoch, once however often it is delivered",
    ],
  },
);

expectBroken(
  "stores all the talk of a channel",
  inboxCases,
  broken((inbox, inbound, admission) => inbox.put({ ...inbound, addressed: true }, admission)),
  {
    noticedBy: [
      "talk that is not addressed is stored only where a session lies, and nothing is kept of the rest",
      "a stop where nothing lies is kept and done, and cancels nothing that comes later",
    ],
  },
);

expectBroken(
  "takes an edit for a message",
  inboxCases,
  broken((inbox, inbound, admission) =>
    inbox.put(inbound.kind === "edit" ? { ...inbound, kind: "message" } : inbound, admission),
  ),
  {
    noticedBy: [
      "an edit of a waiting message changes that message, and only its text",
      "a change where no session lies, or of a message that was refused, is not kept",
    ],
  },
);

expectBroken(
  "does nothing on a stop",
  inboxCases,
  broken((inbox, inbound, admission) =>
    inbound.kind === "command" && inbound.command.name === "stop"
      ? inbox.put({ ...inbound, command: { name: "retry" } }, admission)
      : inbox.put(inbound, admission),
  ),
  { noticedBy: ["a stop cancels what waits before it, leaves what comes after it, and is done itself"] },
);

expectBroken(
  "takes what was refused",
  inboxCases,
  broken((inbox, inbound) => inbox.put(inbound)),
  {
    noticedBy: [
      "what is refused is kept with its rule, makes no session, and nothing of it is done",
      "talk that is refused and not for the bot is not kept",
      "a refused command does nothing, and a refused edit changes nothing",
    ],
  },
);
