// Called into a thread of the local Slack, the bot's first turn begins with what was said there, out of a real store.
import { expect, test } from "vitest";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { asRun, lines, message } from "../../contract/store-samples.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { storesOver } from "../postgres/store-subject.ts";
import { outboundWorld } from "./outbound-world.ts";
import { backlogOf, conversationIn } from "./read-back.ts";

test("pitfall 17: a mention in mid-thread knows what was said, by whom, and what was said behind it", async () => {
  await using world = await outboundWorld();
  await using database = await freshDatabase();
  const sql = openPostgres({ url: database.url });
  const { store, inbox } = storesOver(sql);
  const { slack, channel, ana } = world;
  const bo = slack.person("bo");
  const root = ana.say(channel, "the launch slips by a week");
  slack.otherBot("ci").say(channel, "build 7 failed", { thread: root });
  const mention = bo.say(channel, `${slack.botMention} why?`, { thread: root });
  bo.say(channel, "anyone?", { thread: root });
  const session = `slack:${slack.teamId}:${channel.id}:${root.ts}` as typeof world.session;
  await inbox.put(
    message(session, "why?", { message: mention.ts, at: Date.now(), author: { id: bo.id, name: "bo" } }),
  );

  const backlog = backlogOf(sql, conversationIn(world));
  await backlog(session, new AbortController().signal);
  await backlog(session, new AbortController().signal);

  const { tail } = asRun(await store.open(session, "w"));
  // What stands behind the mention is taken in as it would have come.
  expect(lines(tail).slice(1)).toEqual(["user: why?", "user: anyone?"]);
  const note = tail[0]?.body.kind === "note" ? tail[0].body.text : "";
  const quotes = note.split("\n").filter((line) => line.startsWith("{"));
  expect(quotes.map((line) => JSON.parse(line) as object)).toMatchObject([
    { id: root.ts, speaker: "ana", text: "the launch slips by a week" },
    { speaker: "ci", bot: true, text: "build 7 failed" },
  ]);
  expect(slack.callsOf("conversations.replies")).toHaveLength(2);
  await sql.close();
});
