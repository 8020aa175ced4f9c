import type { Fence, RunStore } from "../../../src/core/ports/run-store.ts";
import { expectBroken, runContract } from "../../contract/contract.ts";
import { runStoreCases } from "../../contract/run-store.ts";
import type { RunStoreSubject } from "../../contract/run-store-subject.ts";
import { pgliteBackend, postgresBackend, shared } from "./backends.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const postgres = postgresBackend();
const pglite = pgliteBackend();

for (const backend of [postgres, pglite]) {
  runContract(
    `RunStore: ${backend.name}`,
    runStoreCases,
    shared(() => storesOver(backend.sql())),
  );
}

function broken(change: (stores: Stores) => Partial<RunStore>) {
  return shared<RunStoreSubject>(() => {
    const stores = storesOver(postgres.sql());
    return { ...stores, store: { ...stores.store, ...change(stores) } };
  });
}

expectBroken(
  "does not look at the fence",
  runStoreCases,
  broken(({ store }) => {
    const newest = new Map<string, number>();
    const renewed = (fence: Fence): Fence => ({
      ...fence,
      number: newest.get(fence.session) ?? fence.number,
    });
    return {
      async open(session, worker) {
        const opened = await store.open(session, worker);
        if (opened.kind !== "nothing") {
          newest.set(session, Math.max(newest.get(session) ?? 0, opened.fence.number));
        }
        return opened;
      },
      commitRound: (fence, round) => store.commitRound(renewed(fence), round),
      end: (fence, ending) => store.end(renewed(fence), ending),
    };
  }),
  {
    noticedBy: ["a fence that is not the newest is refused everywhere with stale_fence, and changes nothing"],
  },
);

expectBroken(
  "admits in the order of arrival reversed",
  runStoreCases,
  broken(({ store }) => ({
    async open(session, worker) {
      const opened = await store.open(session, worker);
      return opened.kind === "run" ? { ...opened, tail: opened.tail.toReversed() } : opened;
    },
  })),
  {
    noticedBy: [
      "a new run takes all that waits as user entries in platform-time order, for the newest one's author",
      "P8: messages of one and the same moment keep the order in which they were stored",
    ],
  },
);

expectBroken(
  "gives the same message to the run twice",
  runStoreCases,
  broken(({ store, inbox, transcripts }) => ({
    async commitRound(fence, round) {
      const committed = await store.commitRound(fence, round);
      const [again] = committed.steered;
      const view = (await transcripts.inbounds(fence.session)).at(-1);
      if (again !== undefined && view !== undefined) {
        await inbox.put({ ...view.inbound, id: `${view.inbound.id}/twice` as never });
      }
      return committed;
    },
  })),
  {
    noticedBy: [
      "messages that arrive during commits are each taken in once, in order, by the run or by the next",
    ],
  },
);

expectBroken(
  "ends without looking for what came in",
  runStoreCases,
  broken(({ store }) => ({
    async end(fence, ending) {
      const ended = await store.end(fence, ending);
      return ended.kind === "steered" ? { kind: "ended" } : ended;
    },
    hasWork: () => Promise.resolve(false),
  })),
  {
    noticedBy: [
      "an end as `stop` with a message waiting admits it instead, and the run goes on",
      "any other end leaves what waits to the next run, and the look after it finds that",
    ],
  },
);

expectBroken(
  "counts every attempt as a crash",
  runStoreCases,
  broken(() => ({ leave: () => Promise.resolve() })),
  {
    noticedBy: [
      "only crashes count: hand-overs, lost leases and crashes before a stored round do not",
      "one who left late says so about its own attempt only, and is no crash any more",
    ],
  },
);

expectBroken(
  "never notices a stop",
  runStoreCases,
  broken(({ store }) => ({ isStopped: () => Promise.resolve(false), hasWork: store.hasWork })),
  {
    noticedBy: [
      "a stop in mid-run is seen by commit, by claim and by question; what came after it waits for its own run",
    ],
  },
);

expectBroken(
  "forgets that an attempt still works",
  runStoreCases,
  broken(() => ({ touch: () => Promise.resolve() })),
  {
    noticedBy: [
      "a fence that is not the newest is refused everywhere with stale_fence, and changes nothing",
      "a run that its attempt touches is not due, and goes on as if nothing had been said",
      "among those that are due, the one that was touched longest ago comes first, however old its work is",
    ],
  },
);
