// The thread of a run is deleted while the model works: nobody will read the answer, so it is not made.
import { expect, test } from "vitest";
import { createLocalStops } from "../../../src/adapters/local/stops.ts";
import { sha256 } from "../../../src/adapters/ids.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { DEFAULT_LIMITS } from "../../../src/core/agent/limits.ts";
import { allowAll } from "../../../src/core/agent/tool.ts";
import { createProfileOf } from "../../../src/core/agent/frozen-profile.ts";
import { createRunSession } from "../../../src/core/run/run-session.ts";
import { storesOver } from "../../adapters/postgres/store-subject.ts";
import { message, newSession } from "../../contract/store-samples.ts";
import { FakeThread } from "../../support/fake-surface.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { hangs, scriptedModel, scriptedRecord } from "../../support/scripted-model.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { silentLog } from "../../support/silent-log.ts";

test("I11: a run whose thread is gone stops by itself, quietly, and is done", async () => {
  await using database = await freshDatabase();
  const sql = openPostgres({ url: database.url });
  const { inbox, store, pages, transcripts } = storesOver(sql);
  const thread = new FakeThread({ clock: manualClock() });
  thread.isGone = true;
  let ids = 0;
  const profile = {
    model: scriptedRecord,
    system: "be brief",
    tools: [],
    gate: allowAll,
    limits: DEFAULT_LIMITS,
    caching: true,
  };
  const step = createRunSession(
    {
      store,
      pages,
      stops: createLocalStops(),
      clock: createSystemClock(),
      log: silentLog,
      newId: () => `id${++ids}`,
      hash: sha256,
      model: scriptedModel(hangs("so far")),
      profileOf: createProfileOf(profile, sha256),
      surfaceOf: () => thread,
    },
    { worker: "w" },
  );
  const session = newSession();
  await inbox.put(message(session, "hello"));
  const never = new AbortController().signal;
  expect(await step(session, { signal: never, isLive: () => true }, never)).toBe("worked");
  expect(thread.writes).toHaveLength(1);
  const [run] = await transcripts.runs(session);
  expect(run).toMatchObject({ reply: "settled", outcome: { reason: "cancelled" } });
  expect(await store.hasWork(session)).toBe(false);
  await sql.close();
});
