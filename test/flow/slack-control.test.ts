// What people do to a bot that works: stop it, begin anew, try again; and what becomes of an answer whose worker dies.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { callsTools, eventsThenSilence, delta, refuses, says } from "../support/fake-llm/answers.ts";
import { freshDatabase, type FreshDatabase } from "../support/services/postgres.ts";
import { silentLog } from "../support/silent-log.ts";
import type { FaultOptions } from "../support/slack/faults.ts";
import type { Person, Said } from "../support/slack/person.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";
import { openSlackWorld, type SlackWorld } from "./slack-world.ts";

let world: SlackWorld;
let scenes = 0;

function scene() {
  const { slack } = world;
  scenes++;
  const channel = slack.channel(`channel-${scenes}`);
  return {
    slack,
    ana: slack.person(`Ana ${scenes}`),
    ben: slack.person(`Ben ${scenes}`),
    channel,
    at: slack.botMention,
  };
}

interface Ways {
  readonly ana: Person;
  readonly ben: Person;
  readonly root: Said;
  readonly answer: SeenMessage;
}

const byShortcut = (person: Person, id: string, { channel, ts }: SeenMessage) =>
  person.shortcut(id, { channel, ts });

describe.each(["socket", "http"] as const)("over %s, a gateway and two workers", (over) => {
  beforeAll(async () => {
    world = await openSlackWorld({ over, parts: ["gateway", "worker", "worker"] });
  });
  afterEach(() => world.expectPeace());
  afterAll(() => world[Symbol.asyncDispose]());

  test.each<{ how: string; whispers: number; stop(ways: Ways): Promise<unknown> }>([
    {
      how: "by a word in the thread",
      whispers: 1,
      stop: ({ ben, root }) =>
        ben.say(root.channel, `${world.slack.botMention} stop`, { thread: root }).delivered,
    },
    { how: "by the button", whispers: 1, stop: ({ ben, answer }) => ben.click(answer, "bobbin_stop") },
    {
      how: "by the shortcut",
      whispers: 1,
      stop: ({ ben, answer }) => byShortcut(ben, "bobbin_stop", answer),
    },
    {
      how: "by the command and its picker",
      whispers: 0,
      async stop({ ben, root }) {
        await ben.slash("/bobbin", "stop", root.channel);
        const asked = world.slack.channelTop(root.channel, { as: ben });
        const picker = asked.find(({ ephemeralTo }) => ephemeralTo === ben.id);
        await ben.click(picker!, "bobbin_pick_stop", root.root);
      },
    },
    { how: "pitfall 5: by Slack's own Stop", whispers: 0, stop: ({ ben, root }) => ben.stop(root).delivered },
  ])(
    "stopped $how: the model is left, what was shown stays and says so, and the thread goes on",
    async (way) => {
      const { slack, ana, ben, channel, at } = scene();
      const { abandoned } = world.llm;
      world.llm.script(eventsThenSilence(delta({ content: "as far as here " })));
      const root = ana.say(channel, `${at} work for long`);
      const answer = await world.shows(root, "as far as here");
      await until(() => slack.statusLine(channel, root) === "processing", {
        what: "Slack says that it works",
      });
      await way.stop({ ana, ben, root, answer });
      await until(() => world.llm.abandoned === abandoned + 1, { what: "the model was left" });
      const [stopped, ...more] = await world.settled(root, 1);
      expect(more).toEqual([]);
      expect(stopped?.ts).toBe(answer.ts);
      expect(stopped?.text).toMatch(/as far as here[^]*Stopped\./);
      expect(await world.whispers(root, ben, way.whispers)).toEqual(way.whispers === 0 ? [] : ["Stopping."]);
      expect(new Set(slack.statusHistory(channel, root))).toEqual(new Set(["processing", ""]));
      ana.say(channel, "go on", { thread: root });
      const [, next] = await world.settled(root, 2);
      expect(next?.text).toContain("go on");
      // G10: a command is no turn, and nothing that the model reads.
      expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).not.toMatch(/stop"/);
    },
  );

  test("reset by the shortcut: what was said before is not known any more, and stands there still", async () => {
    const { ana, channel, at } = scene();
    const root = ana.say(channel, `${at} the word is heron`);
    const [answer] = await world.settled(root, 1);
    await byShortcut(ana, "bobbin_reset", answer!);
    expect(await world.whispers(root, ana, 1)).toEqual([expect.stringContaining("begins anew")]);
    ana.say(channel, "which word?", { thread: root });
    expect(await world.settled(root, 2)).toHaveLength(2);
    expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).not.toContain("heron");
  });

  test("what the bot had nothing to do with cannot be branched from, and neither can what it still works on", async () => {
    const { ana, ben, channel, at } = scene();
    const root = ana.say(channel, `${at} the word is heron`);
    await world.settled(root, 1);
    const aside = ben.say(channel, "(aside) is it a bird?", { thread: root });
    await ana.shortcut("bobbin_branch", { channel: channel.id, ts: aside.ts });
    world.llm.script(eventsThenSilence(delta({ content: "as far as here " })));
    const long = ana.say(channel, "work for long", { thread: root });
    await world.shows(root, "as far as here");
    await ana.shortcut("bobbin_branch", { channel: channel.id, ts: long.ts });
    expect(await world.whispers(root, ana, 2)).toEqual([
      expect.stringContaining("neither read nor written"),
      expect.stringContaining("still works on that message"),
    ]);
    await ana.say(channel, `${at} stop`, { thread: root }).delivered;
    await world.settled(root, 2);
  });

  test("pitfall 12: /reset in the channel asks which thread, and the one that is picked begins anew", async () => {
    const { slack, ana, channel, at } = scene();
    const kept = ana.say(channel, `${at} the word is heron`);
    await world.settled(kept, 1);
    const reset = ana.say(channel, `${at} the word is egret`);
    await world.settled(reset, 1);
    expect(await ana.slash("/reset", "", channel, reset.root)).toMatchObject({ kind: "refused" });
    expect(await ana.slash("/reset", "", channel)).toMatchObject({ kind: "acknowledged" });
    const asked = slack.channelTop(channel, { as: ana }).find(({ ephemeralTo }) => ephemeralTo === ana.id);
    expect(asked?.text).toContain("Which thread is “reset” for?");
    await ana.click(asked!, "bobbin_pick_reset", reset.root);
    await until(
      () =>
        slack
          .channelTop(channel, { as: ana })
          .some(({ text }) => /the word is egret[^]*begins anew/.test(text)),
      { what: "the picker was replaced by an answer that names the thread" },
    );
    for (const root of [reset, kept]) ana.say(channel, "which word?", { thread: root });
    await Promise.all([world.settled(reset, 2), world.settled(kept, 2)]);
    const prompts = world.llm.requests.slice(-2).map(({ body }) => JSON.stringify(body.messages));
    expect(prompts.filter((prompt) => prompt.includes("heron"))).toHaveLength(1);
    expect(prompts.filter((prompt) => prompt.includes("egret"))).toHaveLength(0);
  });

  test("a goal by the shortcut of a message: the form sets it, shows it when it is opened again, and changes it; a word there is a text", async () => {
    const { ana, channel, at } = scene();
    const waits = callsTools({
      id: "c-wait",
      name: "wait_for",
      arguments: JSON.stringify({ kind: "time", minutes: 60, reason: "the herons sleep" }),
    });
    const root = ana.say(channel, `${at} hello`);
    const [answer] = await world.settled(root, 1);
    world.llm.script(waits, says("Until they wake."));
    await byShortcut(ana, "bobbin_goal", answer!);
    await until(() => ana.modal() !== undefined, { what: "the form is shown" });
    expect(ana.modal()).toMatchObject({ title: { text: "Goal of this thread" } });
    await ana.submit({ text: "pause\n\nDone when:\n- all herons sleep\n\n--turns 9" });
    const card = await world.shows(root, /^\**Goal · waits/);
    expect(card.text).toMatch(/pause/);
    expect(JSON.stringify(card.blocks)).toContain("of 9");
    await byShortcut(ana, "bobbin_goal", answer!);
    await until(() => ana.modal() !== undefined, { what: "the form is shown again" });
    expect(ana.modal()).toMatchObject({ title: { text: "Change the goal" } });
    expect(JSON.stringify(ana.modal())).toContain(String.raw`pause\n\nDone when:\n- all herons sleep`);
    await ana.submit({ text: "count the sleeping herons" });
    const changed = await world.shows(root, /^\**Goal · [\s\S]*count the sleeping herons/);
    expect(changed.ts).toBe(card.ts);
    expect(JSON.stringify(changed.blocks)).not.toContain("all herons sleep");
    await ana.say(channel, `${at} goal clear`, { thread: root }).delivered;
    await world.shows(root, /^\**Goal · ended/);
  });

  test("a failed answer has a button that tries again, once, also when it is pressed twice", async () => {
    const { slack, ana, ben, channel, at } = scene();
    world.llm.script(refuses(400, { message: "no" }), says("it worked"));
    const root = ana.say(channel, `${at} please try`);
    const [failed] = await world.settled(root, 1);
    expect(failed?.controls.map(({ actionId }) => actionId)).toEqual(["bobbin_retry", "bobbin_details"]);
    await Promise.all([ana.click(failed!, "bobbin_retry"), ben.click(failed!, "bobbin_retry")]);
    await world.shows(root, /^it worked/);
    await until(() => slack.statusLine(channel, root) === "", { what: "nothing is running" });
    ana.say(channel, "and now", { thread: root });
    await world.shows(root, "and now");
    const first = await world.shows(root, "It is tried again below.");
    expect([first.ts, first.controls]).toEqual([failed?.ts, []]);
    const texts = world.replies(root).map(({ text }) => text);
    expect(texts.filter((text) => text.includes("it worked"))).toHaveLength(1);
  });
});

describe("as processes", () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
    world = await openSlackWorld({
      over: "socket",
      parts: ["gateway", "worker"],
      as: "processes",
      databaseUrl: database.url,
      // As Slack does it; the test tells when the minutes are over.
      slack: { retryDelaysMs: [0, 60_000, 300_000] },
    });
  });
  afterEach(() => world.expectPeace());
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const words = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `word${n + 1}`);

  test("branched from an earlier message: a new thread goes on with what was said up to there, also where it is branched again", async () => {
    const { slack, ana, ben, channel, at } = scene();
    const root = ana.say(channel, `${at} the word is heron`);
    const [first] = await world.settled(root, 1);
    ana.say(channel, "the number is four", { thread: root });
    await world.settled(root, 2);
    const before = world.llm.requests.at(-1)!.body.messages;
    const tops = () => slack.channelTop(channel).filter(({ userId }) => userId === slack.app.botUserId);
    const linkTo = (ts: string): string => `/archives/${channel.id}/p${ts.replace(".", "")}`;
    await byShortcut(ben, "bobbin_branch", first!);
    expect(await world.whispers(root, ben, 1)).toEqual([expect.stringContaining("2 entries")]);
    const line = await world.shows(root, "branched this thread");
    const opened = tops()[0]!;
    expect(JSON.stringify(line.blocks)).toContain(linkTo(opened.ts));
    expect(JSON.stringify(opened.blocks)).toContain(linkTo(root.root));
    const branch = { channel: channel.id, root: opened.ts };
    ana.say(channel, "which word?", { thread: branch });
    const [, answer] = await world.settled(branch, 2);
    expect(answer?.text).toContain("which word?");
    const request = world.llm.requests.at(-1)!.body.messages;
    // To the byte what the old thread's requests began with: the provider's cache holds.
    expect(JSON.stringify(request.slice(0, 3))).toBe(JSON.stringify(before.slice(0, 3)));
    expect(request).toHaveLength(4);
    expect(JSON.stringify(request)).not.toContain("four");
    // The old thread knows nothing of it, and the branch can be branched like any other.
    ana.say(channel, "go on", { thread: root });
    await world.shows(root, "go on");
    expect(JSON.stringify(world.llm.requests.at(-1)!.body.messages)).not.toContain("which word?");
    const address = `https://local.slack.com${linkTo(answer!.ts)}?thread_ts=${opened.ts}&amp;cid=${channel.id}`;
    await ana.say(channel, `${at} branch <${address}>`, { thread: branch }).delivered;
    await world.shows(branch, "branched this thread");
    const second = { channel: channel.id, root: tops()[1]!.ts };
    ana.say(channel, "and again?", { thread: second });
    await world.settled(second, 2);
    expect(JSON.stringify(world.llm.requests.at(-1)!.body.messages)).toMatch(
      /heron.*which word\?.*and again\?/,
    );
    expect(tops()).toHaveLength(2);
  });

  test("R19: a worker killed in mid-text and while Slack takes a first post: another goes on, once, in the same messages, streamed or not", async () => {
    const { slack, ana, ben, channel, at } = scene();
    using hold = world.llm.hold(20);
    const root = ana.say(channel, `${at} say 300 words`);
    const begun = await world.shows(root, "word10 ");
    const alone = ana.dm("say 300 words");
    const streamed = await world.shows(alone, "word10 ");
    expect(streamed.isStreaming).toBe(true);
    const isTaken = Promise.withResolvers<void>();
    const isHere: FaultOptions["when"] = (call) => call.optional("channel") === channel.id;
    slack.fault("chat.postMessage", { kind: "late answer", until: isTaken.promise }, { when: isHere });
    slack.fault("chat.startStream", { kind: "late answer", until: isTaken.promise });
    const other = ben.say(channel, `${at} say 5 words`);
    const otherAlone = ben.dm("say 5 words");
    const [posted, begunAlone] = await until(
      () => {
        const all = [...world.replies(other), ...world.replies(otherAlone)];
        return all.length === 2 ? all : undefined;
      },
      { what: "Slack has the post and the stream" },
    );
    world.processes[1]?.kill("SIGKILL");
    await world.processes[1]?.exited;
    isTaken.resolve();
    hold.release();
    await world.add("worker");
    const answers = [];
    for (const one of [root, other, alone, otherAlone]) answers.push(...(await world.settled(one, 1)));
    expect(answers.map(({ ts }) => ts)).toEqual([begun.ts, posted?.ts, streamed.ts, begunAlone?.ts]);
    expect(answers.map(({ text }) => text.match(/word\d+/g))).toEqual([300, 5, 300, 5].map(words));
    expect(answers.map(({ isStreaming }) => isStreaming)).not.toContain(true);
    expect(slack.ever(channel).filter(({ userId }) => userId === slack.app.botUserId)).toHaveLength(2);
    ana.say(channel, "go on", { thread: root });
    expect(await world.settled(root, 2)).toHaveLength(2);
  });

  test("a gateway killed while the answer grows: it ends, and the next gateway takes the next message", async () => {
    const { ana, channel, at } = scene();
    using hold = world.llm.hold(20);
    const root = ana.say(channel, `${at} say 100 words`);
    await world.shows(root, "word10 ");
    world.processes[0]?.kill("SIGKILL");
    await world.processes[0]?.exited;
    hold.release();
    const answers = await world.settled(root, 1);
    expect(answers[0]?.text.match(/word\d+/g)).toEqual(words(100));
    ana.say(channel, "is anybody there?", { thread: root });
    await until(() => world.slack.delivery.waiting > 0, { what: "Slack waits before it tries again" });
    await world.add("gateway");
    world.slack.delivery.retryNow();
    const [, second] = await world.settled(root, 2);
    expect(second?.text).toContain("is anybody there?");
  });

  test("a goal that is given by name opens a thread below it, works there turn by turn, and people see who has used it up", async () => {
    const { ana, channel, at } = scene();
    world.llm.script(says("The herons are sorted."), says("Nothing is left."));
    const root = ana.say(channel, `${at} goal sort the herons --turns 1`);
    await world.shows(root, "The herons are sorted.");
    await world.shows(root, "Nothing is left.");
    const shown = await world.settled(root, 2);
    expect(shown.at(-1)?.text).toContain("budget is used up");
  });

  test("a gateway killed while Slack takes the first post of a branch: a worker finishes it, in that one thread", async () => {
    const { slack, ana, channel, at } = scene();
    const root = ana.say(channel, `${at} the word is heron`);
    await world.settled(root, 1);
    const isTaken = Promise.withResolvers<void>();
    const isRoot: FaultOptions["when"] = (call) =>
      call.optional("channel") === channel.id && call.optional("thread_ts") === undefined;
    slack.fault("chat.postMessage", { kind: "late answer", until: isTaken.promise }, { when: isRoot });
    ana.say(channel, `${at} branch`, { thread: root });
    const tops = () => slack.channelTop(channel).filter(({ userId }) => userId === slack.app.botUserId);
    const [opened] = await until(() => (tops().length > 0 ? tops() : undefined), {
      what: "Slack has the post",
    });
    const gateway = world.processes.at(-1);
    gateway?.kill("SIGKILL");
    await gateway?.exited;
    isTaken.resolve();
    await using stack = new AsyncDisposableStack();
    const sql = stack.adopt(openPostgres({ url: database.url, log: silentLog }), (one) => one.close());
    const [owed] = await sql.query({ text: "select target from branches where not done" });
    expect(owed).toEqual({ target: null });
    // As if it had waited as long as it would.
    await sql.query({ text: "update branches set taken_at = 0" });
    await Promise.all([world.add("worker"), world.add("gateway")]);
    await world.shows(root, "branched this thread");
    expect(tops()).toEqual([opened]);
    const branch = { channel: channel.id, root: opened!.ts };
    ana.say(channel, "which word?", { thread: branch });
    await world.settled(branch, 2);
    expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).toContain("heron");
  });
});
