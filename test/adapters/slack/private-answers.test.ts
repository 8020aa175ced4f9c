// What one person alone is told, over a real Postgres and the local Slack: told once, whoever dies before it is.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAnswers } from "../../../src/adapters/postgres/answers.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createSlackApi } from "../../../src/adapters/slack/api.ts";
import { NO_GOAL_THREADS } from "../../support/memory-goals.ts";
import { PrivateAnswers } from "../../../src/adapters/slack/private-answers.ts";
import { createTell, type Tell } from "../../../src/adapters/slack/tell.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Answers } from "../../../src/core/ports/answers.ts";
import type { InboundId } from "../../../src/core/ids.ts";
import { silentLog } from "../../support/silent-log.ts";
import { freshDatabase, type FreshDatabase } from "../../support/services/postgres.ts";
import { createLocalSlack, type LocalSlack } from "../../support/slack/local-slack.ts";
import type { Said } from "../../support/slack/person.ts";
import { until } from "../../support/until.ts";

let database: FreshDatabase;
let sql: Sql;
let slack: LocalSlack;
beforeAll(async () => {
  database = await freshDatabase();
  sql = openPostgres({ url: database.url });
  slack = await createLocalSlack();
});
afterAll(async () => {
  await slack.close();
  await sql.close();
  await database[Symbol.asyncDispose]();
});

/** One gateway's. `before` is waited for each time that it is about to tell one. */
function gateway(everyMs?: number, before: () => Promise<void> = async () => {}) {
  const deps = { clock: createSystemClock(), log: silentLog };
  const api = createSlackApi(deps, { token: slack.app.botToken, apiUrl: slack.slackApiUrl });
  const stored = createAnswers(sql);
  /** How much each look found. */
  const found: number[] = [];
  const watched: Answers = {
    ...stored,
    async untold(...asked) {
      const rows = await stored.untold(...asked);
      found.push(rows.length);
      return rows;
    },
  };
  const tellSlack = createTell({ api, log: silentLog });
  const tell: Tell = async (...said) => {
    await before();
    return tellSlack(...said);
  };
  const answers = new PrivateAnswers(
    { answers: watched, tellIn: () => tell, goalThreads: NO_GOAL_THREADS, ...deps },
    everyMs === undefined ? {} : { everyMs, idleMs: everyMs },
  );
  return Object.assign(answers, { found, [Symbol.asyncDispose]: () => answers.stop() });
}

let count = 0;
function asked() {
  const person = slack.person(`Ana ${++count}`);
  const channel = slack.channel(`channel-${count}`);
  const root = person.say(channel, "a thread");
  const place = { at: { channel: channel.id, user: person.id, thread: root.ts } };
  return { person, root, place, command: `slack/A1/T1/${channel.id}/command/1` as InboundId };
}

const told = ({ channel, ts }: Said, person: { readonly id: string }): readonly string[] =>
  slack
    .thread(channel, ts, { as: person })
    .filter(({ ephemeralTo }) => ephemeralTo === person.id)
    .map(({ text }) => text);

/** As if some time had passed. */
const ages = (): Promise<unknown> =>
  sql.query({ text: "update answers set taken_at = taken_at - 60000, owed_at = owed_at - 60000" });
const isTold = (command: InboundId) =>
  until(
    async () =>
      (await sql.query({ text: "select 1 from answers where told and command = $1" }, [command])).length ===
      1,
    { what: "it is noted as told" },
  );

test("an answer whose process died after the acknowledgement is given after a restart, once, however many look for it", async () => {
  const { person, root, place, command } = asked();
  await gateway().owe(slack.teamId, command, place, "Stopping.");
  expect(told(root, person)).toEqual([]);
  await ages();
  await using one = gateway();
  await using two = gateway();
  for (const each of [one, two]) each.start();
  await isTold(command);
  await ages();
  await using three = gateway();
  three.start();
  await until(() => three.found.length > 0, { what: "a third one has looked" });
  expect(three.found).toEqual([0]);
  expect(told(root, person)).toEqual(["Stopping."]);
});

test("what somebody is just about to tell is told by nobody else, and a copy of the command is told nothing", async () => {
  const { person, root, place, command } = asked();
  await using one = gateway();
  await using two = gateway();
  const tell = await one.owe(slack.teamId, command, place, "Nothing waits in this thread.");
  expect(await two.owe(slack.teamId, command, place, "Nothing waits in this thread.")).toBe(undefined);
  two.start();
  await until(() => two.found.length > 0, { what: "the other one has looked" });
  expect(two.found).toEqual([0]);
  await tell?.();
  await isTold(command);
  expect(told(root, person)).toEqual(["Nothing waits in this thread."]);
});

test("what waits behind an answer that takes long is told by whoever looks meanwhile, and by nobody else", async () => {
  const both = [asked(), asked()];
  for (const { command, place } of both) await gateway().owe(slack.teamId, command, place, "Stopping.");
  await ages();
  const first = Promise.withResolvers<void>();
  let begun = 0;
  await using slow = gateway(undefined, () => (++begun === 1 ? first.promise : Promise.resolve()));
  slow.start();
  await until(() => begun === 1, { what: "the first one is about to be told" });
  await using other = gateway();
  other.start();
  await until(() => other.found.length === 2, { what: "the other one has told what there was" });
  expect(other.found).toEqual([1, 0]);
  first.resolve();
  for (const { command } of both) await isTold(command);
  for (const { root, person } of both) expect(told(root, person)).toEqual(["Stopping."]);
});

test("a Slack that takes none now is asked again later; one that took it without saying so is not", async () => {
  const later = asked();
  slack.fault("chat.postEphemeral", { kind: "rate limited", retryAfterS: 1 });
  await using patient = gateway(50);
  const tell = await patient.owe(slack.teamId, later.command, later.place, "Trying again.");
  await tell?.();
  expect(told(later.root, later.person)).toEqual([]);
  patient.start();
  await isTold(later.command);
  expect(told(later.root, later.person)).toEqual(["Trying again."]);

  const lost = asked();
  slack.fault("chat.postEphemeral", { kind: "lost response" });
  const again = await patient.owe(slack.teamId, lost.command, lost.place, "Stopping.");
  await again?.();
  await isTold(lost.command);
  expect(told(lost.root, lost.person)).toEqual(["Stopping."]);
});
