// What every PersonThreads keeps; see src/core/ports/person-threads.ts.
import { expect } from "vitest";
import type { PersonThreads } from "../../src/core/ports/person-threads.ts";
import { sessionIdOf, type SessionId } from "../../src/core/thread.ts";
import type { ContractCase } from "./contract.ts";
import { fail, finish, type RunStoreSubject } from "./run-store-subject.ts";
import { asRun, command, message, newSession } from "./store-samples.ts";

export interface PersonThreadsSubject extends RunStoreSubject {
  readonly threads: PersonThreads;
}

const BEN = { author: { id: "U2", name: "Ben" } };

function space(): { readonly name: string; at(channel: string, root: string): SessionId } {
  const name = `T${newSession().slice(-12)}`;
  return { name, at: (channel, root) => sessionIdOf({ platform: "slack", space: name, channel, root }) };
}

export const personThreadsCases: readonly ContractCase<PersonThreadsSubject>[] = [
  {
    title:
      "a person's threads are those in which they wrote, over all channels of the space, touched last first",
    async run({ threads, inbox, store }) {
      const here = space();
      const [first, second, bens] = [here.at("C1", "1.1"), here.at("C2", "2.2"), here.at("C1", "3.3")];
      await inbox.put(message(first, "the first   question"));
      await inbox.put(message(second, "the second question", BEN));
      await inbox.put(message(second, "and I", { addressed: false }));
      await inbox.put(message(bens, "Ben alone", BEN));
      await inbox.put(message(space().at("C1", "1.1"), "in another workspace"));
      await store.open(first, "worker-1");
      const found = await threads.of("slack", here.name, "U1", 10);
      const times = found.map(({ touchedAt }) => touchedAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(found.map(({ session, label }) => `${session} ${label}`).sort()).toEqual([
        `${first} the first question`,
        `${second} the second question`,
      ]);
      expect(await threads.of("slack", here.name, "U1", 1)).toEqual(found.slice(0, 1));
      expect((await threads.of("slack", here.name, "U2", 10)).map(({ session }) => session).sort()).toEqual([
        bens,
        second,
      ]);
      expect(await threads.of("discord", here.name, "U1", 10)).toEqual([]);
      expect(await threads.of("slack", here.name, "U3", 10)).toEqual([]);
    },
  },
  {
    title:
      "each thread says whether it works, waits, is new, or how it ended, and after a reset it is new again",
    async run(subject) {
      const { threads, inbox, store } = subject;
      const here = space();
      const names = ["queued", "working", "well", "early", "reset"] as const;
      const sessions = names.map((_, n) => here.at("C1", `${n}.1`));
      for (const session of sessions) await inbox.put(message(session, "a question"));
      const [, working, well, early, reset] = sessions as [
        SessionId,
        SessionId,
        SessionId,
        SessionId,
        SessionId,
      ];
      await store.open(working, "worker-1");
      await finish(subject, asRun(await store.open(well, "worker-1")));
      await fail(subject, asRun(await store.open(early, "worker-1")));
      await finish(subject, asRun(await store.open(reset, "worker-1")));
      await inbox.put(command(reset, "reset"));
      const found = await threads.of("slack", here.name, "U1", 10);
      const stateOf = (session: SessionId) => found.find((one) => one.session === session)?.state;
      expect(sessions.map(stateOf)).toEqual([
        { kind: "queued" },
        { kind: "working" },
        { kind: "ended", reason: "stop" },
        { kind: "ended", reason: "error" },
        { kind: "new" },
      ]);
    },
  },
  {
    title: "where somebody was refused they took no part, and what was dropped by a stop does not wait",
    async run({ threads, inbox }) {
      const here = space();
      const session = here.at("C1", "1.1");
      await inbox.put(message(session, "a question"));
      await inbox.put(message(session, "let me in", BEN), { rule: "guests: U2", isRefused: true });
      await inbox.put(command(session, "stop"));
      expect(await threads.of("slack", here.name, "U2", 10)).toEqual([]);
      expect(await threads.of("slack", here.name, "U1", 10)).toMatchObject([{ state: { kind: "new" } }]);
    },
  },
];
