// What becomes of the work in a space that the bot has left, as rows.
import { expect, test } from "vitest";
import { createDepartures } from "../../../src/adapters/postgres/departures.ts";
import { createLeaveSpace } from "../../../src/core/run/leave-space.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { message } from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const backend = postgresBackend();

test("what is said to a bot that comes back while what it left is still being ended waits for its answer; what waited before expires", async () => {
  const { inbox, transcripts } = storesOver(backend.sql());
  const thread = (root: string) => sessionIdOf({ platform: "discord", space: "9", channel: root });
  const [first, second] = [thread("11"), thread("12")];
  for (const session of [first, second]) await inbox.put(message(session, "before"));
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const leave = createLeaveSpace({
    departures: createDepartures(backend.sql()),
    goals: {
      async apply() {
        reached.resolve();
        await goOn.promise;
        return { kind: "refused", why: "there is none" };
      },
    },
    queue: { wake: () => Promise.resolve() },
    stops: { signal: () => Promise.resolve(), watch: () => () => undefined },
  });
  const left = leave("discord", "9", "gone");
  await reached.promise;
  for (const session of [first, second]) await inbox.put(message(session, "back again"));
  goOn.resolve();
  await left;
  for (const session of [first, second]) {
    const inbounds = await transcripts.inbounds(session);
    expect(inbounds.map(({ state, fate }) => fate ?? state)).toEqual(["expired", "waiting"]);
  }
});
