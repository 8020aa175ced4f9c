// Channels and people of several workspaces: shared with another company (Slack Connect), or of one organisation (Enterprise Grid).
import { expect, test } from "vitest";
import type { JsonObject } from "../support/slack/message.ts";
import { objectsIn, readable } from "../support/slack/rendering.ts";
import { until } from "../support/until.ts";
import { openOAuthWorld } from "./oauth-world.ts";
import { LIMIT_MS } from "./world.ts";

test("pitfall 11: with the app on both sides of a shared channel a thread is of the bot that was called, whichever install Slack names", async () => {
  await using world = await openOAuthWorld();
  const { sql } = world;
  const [one, two] = [world.office("T1"), world.office("T2")];
  await world.start("start");
  for (const office of [one, two]) expect((await world.install(office)).status).toBe(200);
  const shared = one.team.channel("shared", { members: [one.ana], isShared: true });
  // Slack brings each event once, for one of the two.
  const envelope = (event: JsonObject): JsonObject => ({
    ...event,
    team_id: "T2",
    authorizations: [
      { enterprise_id: null, team_id: "T2", user_id: two.team.app.botUserId, is_enterprise_install: false },
    ],
  });
  const root = one.ana.say(shared, `${one.team.botMention} hello`, { envelope });
  await world.answered(one, root);
  one.ana.say(shared, "and without a mention", { thread: root, envelope });
  await until(
    () => one.team.thread(shared, root).some(({ text }) => /You said.*without a mention/s.test(text)),
    { timeoutMs: LIMIT_MS, what: "the reply is answered" },
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
