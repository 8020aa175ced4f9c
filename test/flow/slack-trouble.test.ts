// Slack makes trouble while the bot writes: what a person sees in the end is right, nothing is doubled, nothing stands in the channel.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { inPieces, refuses, says } from "../support/fake-llm/answers.ts";
import type { FaultOptions } from "../support/slack/faults.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";
import { openSlackWorld, type SlackWorld, type ThreadOf } from "./slack-world.ts";

let world: SlackWorld;
let scenes = 0;
beforeAll(async () => {
  world = await openSlackWorld({ over: "socket", parts: ["gateway", "worker", "worker"] });
});
afterEach(() => world.expectPeace());
afterAll(() => world[Symbol.asyncDispose]());

function scene() {
  const { slack } = world;
  scenes++;
  const channel = slack.channel(`channel-${scenes}`);
  const inChannel: FaultOptions["when"] = (call) => call.optional("channel") === channel.id;
  return { slack, ana: slack.person(`Ana ${scenes}`), channel, inChannel, at: slack.botMention };
}

/** Until the calls that shall go wrong have been made. */
const metAll = () => until(() => world.slack.unusedFaults === 0, { what: "every fault was met" });

/** Says the first part when the reply is there to grow, and the rest when the test lets it. */
function inTwoParts(first: string, second: string) {
  const [mayBegin, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    answer: inPieces(mayBegin.promise, first, mayGoOn.promise, second),
    async begin(thread: ThreadOf): Promise<void> {
      await world.shows(thread, "Thinking…");
      mayBegin.resolve();
    },
    goOn: () => mayGoOn.resolve(),
  };
}

/** Without the line below that tells how long it took. */
const saidIn = (messages: readonly SeenMessage[]): readonly string[] =>
  messages.map(({ text }) => text.split("\n")[0] ?? "");

/** All that stands there in the end, once; and the thread goes on. */
async function expectEnd(thread: ThreadOf, ...said: readonly string[]): Promise<void> {
  expect(saidIn(await world.settled(thread, said.length))).toEqual(said);
  world.llm.script(says("it goes on"));
  world.slack.person(`Somebody ${++scenes}`).say(thread.channel, "and then?", { thread });
  expect(saidIn(await world.settled(thread, said.length + 1))).toEqual([...said, "it goes on"]);
}

test("R19 pitfall 10: the first post is taken and its answer lost: it stands there once, and ends whole", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  slack.fault("chat.postMessage", { kind: "lost response" }, { when: inChannel });
  world.llm.script(says("said once"));
  const root = ana.say(channel, `${at} say it once`);
  await expectEnd(root, "said once");
  expect(slack.ever(channel).filter(({ userId }) => userId === slack.app.botUserId)).toHaveLength(2);
});

test("a 429 on the post: it is waited for, and no other thread waits with it", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  const other = scene();
  // For as long as the other thread needs; Slack complains about who comes again too early.
  const limited = { kind: "rate limited", retryAfterS: 1 } as const;
  slack.fault("chat.postMessage", limited, { when: inChannel, times: Infinity });
  world.llm.script(says("after a while"));
  const root = ana.say(channel, `${at} one`);
  const refusals = () =>
    slack
      .callsOf("chat.postMessage")
      .filter(({ fault, args }) => fault !== undefined && args["channel"] === channel.id);
  // The other thread is asked once the first one was refused.
  await root.delivered;
  await until(() => refusals().length > 0, { what: "the first one is refused" });
  world.llm.script(says("at once"));
  const free = other.ana.say(other.channel, `${at} two`);
  await world.settled(free, 1);
  expect(world.replies(root)).toEqual([]);
  // It is tried again, and not given up.
  await until(() => refusals().length > 1, { what: "the first one is refused again" });
  slack.clearFaults();
  await expectEnd(root, "after a while");
});

test("a 429 on the edits: the newest text lands when the time has come, and nothing is written before", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  slack.fault("chat.update", { kind: "rate limited", retryAfterS: 2 }, { when: inChannel, times: 2 });
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  parts.goOn();
  await expectEnd(root, "first half, second half");
  const edits = slack.callsOf("chat.update").filter(({ args }) => args["channel"] === channel.id);
  for (const [at, { fault, endedAtMs = 0 }] of edits.entries()) {
    const next = edits[at + 1];
    // A timer may be a millisecond early.
    if (fault === "rate limited" && next) expect(next.atMs - endedAtMs).toBeGreaterThan(1_990);
  }
});

test("rate limit, 5xx, timeout of the platform: the newest text, the final lands, and nothing is posted twice", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  slack.fault("chat.postMessage", { kind: "rate limited", retryAfterS: 1 }, { when: inChannel });
  slack.fault("chat.postMessage", { kind: "status", status: 502 }, { when: inChannel });
  slack.fault("chat.postMessage", { kind: "lost response" }, { when: inChannel });
  slack.fault("chat.update", { kind: "lost response" }, { when: inChannel });
  slack.fault("chat.update", { kind: "status", status: 503 }, { when: inChannel });
  slack.fault("chat.update", { kind: "rate limited", retryAfterS: 1 }, { when: inChannel });
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  parts.goOn();
  await expectEnd(root, "first half, second half");
  const ever = slack.ever(channel).filter(({ userId }) => userId === slack.app.botUserId);
  expect(ever).toHaveLength(2);
});

test.each([500, 503])("a %i on posts and edits: one whole answer", async (status) => {
  const { slack, ana, channel, inChannel, at } = scene();
  slack.fault("chat.postMessage", { kind: "status", status }, { when: inChannel, times: 2 });
  slack.fault("chat.update", { kind: "status", status }, { when: inChannel, times: 2 });
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  await world.shows(root, "first half");
  parts.goOn();
  await expectEnd(root, "first half, second half");
});

test("Slack away altogether for a while in mid-run: one whole answer when it is back", async () => {
  const { slack, ana, channel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  await world.shows(root, "first half");
  slack.fault(
    "*",
    { kind: "unreachable" },
    { when: (call) => call.method !== "apps.connections.open", times: 3 },
  );
  parts.goOn();
  await expectEnd(root, "first half, second half");
});

test("reply or root deleted by a person: an answer that somebody deletes in mid-run is there again, whole and once", async () => {
  const { slack, ana, channel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  const begun = await world.shows(root, "first half");
  slack.remove(begun);
  parts.goOn();
  await expectEnd(root, "first half, second half");
});

test("I11 reply or root deleted by a person: the root in mid-run, while the answer stands below it: the answer ends there, and nothing falls into the channel", async () => {
  const { slack, ana, channel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  await world.shows(root, "first half");
  await ana.delete(root).delivered;
  parts.goOn();
  expect(saidIn(await world.settled(root, 1))).toEqual(["first half, second half"]);
  expect(slack.ever(channel).filter(({ userId }) => userId === slack.app.botUserId)).toHaveLength(1);
});

test("I11: the root is deleted before the first word: whatever fell into the channel is taken back, and the run stops", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  const mayPost = Promise.withResolvers<void>();
  slack.fault("chat.postMessage", { kind: "late", until: mayPost.promise }, { when: inChannel });
  const { abandoned } = world.llm;
  world.llm.script(async (exchange) => exchange.closed);
  const root = ana.say(channel, `${at} say it`);
  await metAll();
  await ana.delete(root).delivered;
  mayPost.resolve();
  // The model is not asked for what nobody will read.
  await until(() => world.llm.abandoned === abandoned + 1, { what: "the model is left" });
  await until(() => slack.ever(channel).every(({ state }) => state === "gone"), { what: "nothing is left" });
  await until(() => slack.statusLine(channel, root) === "", { what: "the sign of work is gone" });
});

test("R14: a second mention while the first answer has just ended has a message of its own, and the first one stays", async () => {
  const { ana, channel, at } = scene();
  world.llm.script(says("one"), says("two"));
  const root = ana.say(channel, `${at} first`);
  await world.shows(root, /^one/);
  ana.say(channel, `${at} second`, { thread: root });
  await world.shows(root, /^two/);
  expect(saidIn(await world.settled(root, 2))).toEqual(["one", "two"]);
});

test("R12: an edit that is answered late does not undo the final one", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  const mayAnswer = Promise.withResolvers<void>();
  slack.fault("chat.update", { kind: "late", until: mayAnswer.promise }, { when: inChannel });
  world.llm.script(parts.answer);
  const root = ana.say(channel, `${at} say it`);
  await parts.begin(root);
  await metAll();
  parts.goOn();
  // The run has ended in the ledger before the edit that was under way has landed.
  await until(() => world.llm.open === 0, { what: "the model has said all" });
  mayAnswer.resolve();
  await expectEnd(root, "first half, second half");
});

test("R15 pitfall 14: a long answer stands whole over several messages, and no placeholder stays", async () => {
  const { ana, channel, at } = scene();
  const paragraphs = Array.from(
    { length: 30 },
    (_, n) => `Paragraph ${n + 1}. ${"It goes on and on. ".repeat(16)}`,
  );
  world.llm.script(says(paragraphs.map((paragraph) => `${paragraph}\n\n`)));
  const root = ana.say(channel, `${at} say a lot`);
  await world.shows(root, "Paragraph 30.");
  const shown = await world.settled(root, 3);
  const text = shown.map((one) => one.text).join("\n");
  expect(text.match(/Paragraph \d+\./g)).toEqual(paragraphs.map((_, n) => `Paragraph ${n + 1}.`));
  for (const one of shown) {
    expect(one.text).not.toContain("Thinking…");
    expect(one.text).not.toContain("Writing…");
  }
});

test.each([" \n", "\u200B"])(
  "R18: a blank answer (%j) is a notice, and the thread goes on",
  async (blank) => {
    const { ana, channel, at } = scene();
    // Asked once more for words, and still none.
    world.llm.script(says(blank));
    const root = ana.say(channel, `${at} say nothing`);
    const [notice] = await world.settled(root, 1);
    expect(notice?.text.trim()).not.toBe("");
    expect(notice?.text).not.toContain("Thinking…");
    world.llm.script(says("something"));
    ana.say(channel, "and now?", { thread: root });
    await world.shows(root, /^something/);
    await world.settled(root, 2);
  },
);

test("R20 pitfall 13: blocks that Slack refuses: the answer is there as text, and the model was asked once", async () => {
  const { slack, ana, channel, inChannel, at } = scene();
  const asked = world.llm.requests.length;
  slack.fault(
    "chat.update",
    { kind: "refused", error: "invalid_blocks" },
    { when: (call) => inChannel(call) && call.has("blocks"), times: Infinity },
  );
  world.llm.script(says("| a | b |\n|---|---|\n| 1 | 2 |\n\nand *so* on"));
  const root = ana.say(channel, `${at} a table`);
  const [answer] = await world.settled(root, 1);
  slack.clearFaults();
  expect(answer?.text).toContain("so");
  expect(answer?.text).not.toContain("Thinking…");
  expect(world.llm.requests).toHaveLength(asked + 1);
});

test("pitfall 21: what a model writes pings nobody", async () => {
  const { ana, channel, at } = scene();
  world.llm.script(says(`<!channel> <!here> <@${ana.id}> @everyone @here <!subteam^S1> & done`));
  const root = ana.say(channel, `${at} wake them all`);
  await world.shows(root, "& done");
  await world.settled(root, 1);
});

test("a model that refuses: a person sees why with a button to try again, which does, once", async () => {
  const { ana, channel, at } = scene();
  world.llm.script(refuses(400, { message: "no" }));
  const root = ana.say(channel, `${at} please try`);
  const [failed] = await world.settled(root, 1);
  expect(failed?.controls.map(({ actionId }) => actionId)).toEqual(["bobbin_retry", "bobbin_details"]);
  world.llm.script(says("it worked"));
  expect(await ana.click(failed!, "bobbin_retry")).toMatchObject({ kind: "acknowledged" });
  await world.shows(root, /^it worked/);
  const shown = await world.settled(root, 1);
  expect(saidIn(shown).filter((text) => text === "it worked")).toHaveLength(1);
  expect(await world.whispers(root, ana, 1)).toEqual(["Trying again."]);
});
