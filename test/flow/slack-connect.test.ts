// Channels and people of several workspaces: shared with another company (Slack Connect), or of one organisation (Enterprise Grid).
import { expect, test } from "vitest";
import { createSlackApi } from "../../src/adapters/slack/api.ts";
import { createSlackPeople } from "../../src/adapters/slack/people.ts";
import { createSlackStanding } from "../../src/adapters/slack/standing.ts";
import { sessionIdOf } from "../../src/core/thread.ts";
import { manualClock } from "../support/manual-clock.ts";
import type { JsonObject } from "../support/slack/message.ts";
import { objectsIn, readable } from "../support/slack/rendering.ts";
import { until } from "../support/until.ts";
import { openOAuthWorld, type OAuthWorld, type Office } from "./oauth-world.ts";

const sharedBy = ({ team, ana }: Office) => team.channel("shared", { members: [ana], isShared: true });

/** A channel of one office, shared with the other, and the app installed in both. */
async function sharedWorld(world: OAuthWorld) {
  const [one, two] = [world.office("T1"), world.office("T2")];
  await world.start("start");
  for (const office of [one, two]) expect((await world.install(office)).status).toBe(200);
  return { one, two, shared: sharedBy(one) };
}

/** As Slack brings it when it names the install in this office. */
const namesOffice =
  ({ team: { teamId, app } }: Office) =>
  (event: JsonObject): JsonObject => ({
    ...event,
    team_id: teamId,
    authorizations: [
      { enterprise_id: null, team_id: teamId, user_id: app.botUserId, is_enterprise_install: false },
    ],
  });

test("pitfall 11: with the app on both sides of a shared channel a thread is of the bot that was called, whichever install Slack names", async () => {
  await using world = await openOAuthWorld();
  const { sql } = world;
  const { one, two, shared } = await sharedWorld(world);
  // Slack brings each event once, for one of the two.
  const envelope = namesOffice(two);
  const root = one.ana.say(shared, `${one.team.botMention} hello`, { envelope });
  await world.answered(one, root);
  one.ana.say(shared, "and without a mention", { thread: root, envelope });
  await until(
    () => one.team.thread(shared, root).some(({ text }) => /You said.*without a mention/s.test(text)),
    { what: "the reply is answered" },
  );
  expect(await sql.query({ text: "select id from sessions" })).toEqual([
    { id: `slack:T1:${shared.id}:${root.ts}` },
  ]);
  world.expectUnmixed(one, two);

  // Whoever calls a bot that is none of ours calls somebody else.
  const other = one.ana.say(shared, "<@U0SOMEBODY> hello", { envelope });
  await other.delivered;
  await world.answered(one, one.mention("still there?"));
  expect(await sql.query({ text: `select from inbox where message = '${other.ts}'` })).toEqual([]);
});

test("pitfall 11: edits, deletes, emoji, shortcuts, forms and slash commands in such a thread are of its install too, whichever Slack names", async () => {
  await using world = await openOAuthWorld();
  const { sql, slack } = world;
  const { one, two, shared } = await sharedWorld(world);
  const { ana } = one;
  const root = ana.say(shared, `${one.team.botMention} hello`);
  await world.answered(one, root);
  const session = `slack:T1:${shared.id}:${root.ts}`;
  /** Whether the thread has such a row. */
  const has = async (rows: string): Promise<boolean> =>
    (await sql.query({ text: `select from ${rows} and session = '${session}'` })).length > 0;

  /** As Slack brings it when it names the install that was added last. */
  const brought = (happens: () => unknown): void => {
    slack.delivery.hold();
    happens();
    slack.delivery.release((held) => held.map(({ kind, body }) => ({ kind, body: namesOffice(two)(body) })));
  };
  /** As it comes from somebody of the other company. */
  const asked = async (does: () => Promise<unknown>): Promise<void> => {
    slack.delivery.spoil("lost", { when: ({ kind }) => kind !== "event" });
    await does();
    const payload = slack.delivery.log.at(-1)?.payload;
    if (payload === undefined) return expect.unreachable();
    const { body } = payload;
    const named = "team" in body ? { team: { id: "T2", domain: "two" } } : { team_id: "T2" };
    expect(await slack.delivery.repeat({ ...payload, body: { ...body, ...named } })).toMatchObject({
      kind: "acknowledged",
    });
  };

  const said = ana.say(shared, "and a secret", { thread: root });
  await until(() => has(`inbox where message = '${said.ts}' and state = 'done'`), { what: "it is answered" });
  brought(() => ana.delete(said));
  await until(() => has("inbox where kind = 'delete'"), { what: "the delete is stored" });
  brought(() => ana.edit(root, `${one.team.botMention} hello again`));
  await until(() => has("inbox where kind = 'edit'"), { what: "the edit is stored" });
  const answer = one.team.thread(shared, root).find(({ userId }) => userId === one.team.app.botUserId);
  if (answer === undefined) return expect.unreachable();
  brought(() => ana.react({ channel: shared.id, ts: answer.ts }, "tada"));
  await until(() => has("reactions where taken_at is null"), { what: "the emoji is kept" });

  await ana.shortcut("bobbin_goal", root);
  await until(() => ana.modal(), { what: "the form is there" });
  await asked(() => ana.submit({ text: "tidy the wiki" }));
  await until(() => has("goals where closed is null"), { what: "the goal is set" });
  await asked(() => ana.shortcut("bobbin_stop", root));
  await until(() => has("goals where status = 'paused'"), { what: "it is stopped" });
  const link = `https://one.slack.com/archives/${shared.id}/p${answer.ts.replace(".", "")}?thread_ts=${root.ts}`;
  await asked(() => ana.slash("/bobbin", `details ${link}`, shared));
  await asked(() => ana.shortcut("bobbin_reset", root));
  await until(() => has("goals where closed = 'reset'"), { what: "it begins anew" });
  expect(await sql.query({ text: "select id from sessions" })).toEqual([{ id: session }]);
  world.expectUnmixed(one, two);
});

test("pitfall 11: of the workspace of SLACK_BOT_TOKEN and one by OAuth each keeps its threads of a shared channel", async () => {
  await using world = await openOAuthWorld();
  const one = world.office("T1", { isEmpty: false });
  const two = world.office("T2");
  await world.start("start", { SLACK_BOT_TOKEN: one.team.app.botToken });
  expect((await world.install(two)).status).toBe(200);
  const shared = sharedBy(one);
  const envelope = namesOffice(two);
  const root = one.ana.say(shared, `${one.team.botMention} hello`, { envelope });
  await world.answered(one, root);
  one.ana.say(shared, "and without a mention", { thread: root, envelope });
  await until(
    () => one.team.thread(shared, root).some(({ text }) => /You said.*without a mention/s.test(text)),
    { what: "the reply is answered" },
  );
  world.expectUnmixed(one, two);
});

test("in an organisation the Home tab shows the threads of the workspace in which somebody opens it", async () => {
  await using world = await openOAuthWorld({ over: "socket" });
  const { slack } = world;
  const one = world.office("T1", { org: "E1" });
  const two = world.office("T2", { org: "E1", botOf: one.team });
  await world.start("start");
  await world.install(one, { everywhere: true });
  const said = two.mention("a question in the second workspace");
  await world.answered(two, said);
  await until(async () => (await world.becameOf(said)).fate === "answered", { what: "its run has ended" });
  two.ana.openHome();
  const home = await until(() => two.ana.home(), { what: "the Home tab is published" });
  const text = readable({ text: "", blocks: objectsIn(home["blocks"]), attachments: undefined });
  expect(text).toMatch(/a question in the second workspace\s+Done/);
  expect(slack.callsOf("users.conversations").map(({ args, owner }) => [args["team_id"], owner])).toEqual([
    ["T2", "E1"],
  ]);
  const [{ answer } = { answer: undefined }] = slack.callsOf("views.publish");
  expect(answer?.["ok"]).toBe(true);
  // The button says by itself in which workspace it is.
  const before = slack.callsOf("views.publish").length;
  await two.ana.press("home", "bobbin_home_refresh");
  await until(() => slack.callsOf("views.publish").length > before, { what: "it is made anew" });
  expect(slack.complaints).toEqual([]);
});

test("in an organisation whoever has left the channel is noticed too, since the channel says in which workspace it is", async () => {
  await using world = await openOAuthWorld({ over: "socket" });
  const { slack } = world;
  const one = world.office("T1", { org: "E1" });
  await world.start("start");
  await world.install(one, { everywhere: true });
  const channel = one.team.channel("general-T1");
  const clock = manualClock();
  const { botToken, botUserId: user, botId: bot, name } = one.team.app;
  const api = createSlackApi({ clock }, { token: botToken, apiUrl: slack.slackApiUrl });
  const people = createSlackPeople({ api, clock }, { isWide: true });
  const standingOf = createSlackStanding({
    clock,
    at: async (space) => ({ api, people, bot: { space, user, bot, name } }),
  });
  const session = sessionIdOf({ platform: "slack", space: "E1", channel: channel.id, root: "1.000001" });
  const goal = { owner: { id: one.ana.id, name: "Ana" }, turns: 1 };
  expect((await standingOf(session, goal)).kind).toBe("fine");
  channel.members.delete(one.ana.id);
  await clock.advance(60_000);
  expect((await standingOf(session, goal)).kind).toBe("owner_left");
  expect(slack.complaints).toEqual([]);
});
