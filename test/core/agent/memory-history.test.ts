import { createMemoryHistory } from "../../../src/core/agent/memory-history.ts";
import type { History } from "../../../src/core/ports/history.ts";
import { expectBroken } from "../../contract/contract.ts";
import { historyCases, historyContract } from "../../contract/history.ts";

const opened = (subject: History): { subject: History; close(): Promise<void> } => ({
  subject,
  close: () => Promise.resolve(),
});

historyContract("in memory", () => opened(createMemoryHistory()));

expectBroken(
  "reads the oldest entries instead of the newest",
  historyCases,
  () => {
    const history = createMemoryHistory();
    return opened({
      ...history,
      read: async (session, options) => (await history.read(session)).slice(0, options?.limit),
    });
  },
  { noticedBy: ["P12: with a limit the newest entries come back, oldest of them first"] },
);

expectBroken(
  "keeps all sessions in one",
  historyCases,
  () => {
    const history = createMemoryHistory();
    return opened({
      append: (_, bodies) => history.append("one", bodies),
      read: (_, options) => history.read("one", options),
    });
  },
  { noticedBy: ["sessions are apart"] },
);

expectBroken(
  "hands out references",
  historyCases,
  () => {
    const history = createMemoryHistory();
    const cache = new Map<string, Awaited<ReturnType<History["read"]>>>();
    return opened({
      append: (session, bodies) => history.append(session, bodies),
      async read(session, options) {
        const read = cache.get(session) ?? (await history.read(session, options));
        cache.set(session, read);
        return read;
      },
    });
  },
  {
    noticedBy: ["what was given, answered and read are copies: changing one changes nothing that is stored"],
  },
);

expectBroken(
  "appends one by one",
  historyCases,
  () => {
    const history = createMemoryHistory();
    return opened({
      async append(session, bodies) {
        const stored = [];
        for (const body of bodies) stored.push(...(await history.append(session, [body])));
        return stored;
      },
      read: (session, options) => history.read(session, options),
    });
  },
  {
    noticedBy: [
      "an append is all or nothing",
      "appends at the same time lose nothing and tear no append apart",
    ],
  },
);
