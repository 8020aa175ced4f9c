// What a claim knows of how its replies are shown.
import { expect, test } from "vitest";
import type { SessionId } from "../../../src/core/thread.ts";
import { asRun, asSettle, message, newSession, round, answer } from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const backend = postgresBackend();

test("a thread of Discord's counts as the channel in which it hangs, also where a reply is only to be ended", async () => {
  const { inbox, store } = storesOver(backend.sql());
  const session = `discord:G1:${newSession().replaceAll(/\W/g, "")}` as SessionId;
  await inbox.put(message(session, "hello", { where: { parent: "C7" } }));
  const run = asRun(await store.open(session, "w"));
  expect(run.shown).toEqual({ parent: "C7" });
  await store.end(run.fence, { reason: "stop", round: round(1, answer("done")), modelCalls: [] });
  expect(asSettle(await store.open(session, "w")).shown).toEqual({ parent: "C7" });
  await inbox.put(message(session, "more"));
  await store.settled(asSettle(await store.open(session, "w")).fence);
  expect(asRun(await store.open(session, "w")).shown).toEqual({ parent: "C7" });
});
