// A thread of Slack as a place to post: the contract, and what Slack's answers mean.
import { describe, expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Pacer, Urgency } from "../../../src/core/ports/pacer.ts";
import type { PageContent } from "../../../src/core/ports/surface.ts";
import { surfaceContract } from "../../contract/surface.ts";
import { until } from "../../support/until.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { outboundWorld } from "./outbound-world.ts";

const page = (markdown: string): PageContent => ({ markdown, buttons: [] });

surfaceContract("a thread in the local Slack", async () => {
  const world = await outboundWorld();
  return {
    subject: {
      surface: world.surface,
      shown: () => Promise.resolve(world.shown().map(({ text }) => text)),
      deleteByPerson(message) {
        world.slack.remove(world.ref(message));
        return Promise.resolve();
      },
    },
    async close() {
      expect(world.slack.complaints).toEqual([]);
      await world[Symbol.asyncDispose]();
    },
  };
});

describe("a page in Slack", () => {
  test("stands in the thread, with nothing unfurled, and its buttons bring back what they carry", async () => {
    await using world = await outboundWorld();
    await world.surface.post("key-1", {
      markdown: "see https://example.org",
      status: "Writing",
      buttons: [{ action: "stop", label: "Stop", value: "run-1" }],
    });
    const [message] = world.shown();
    expect(message).toMatchObject({ root: world.root.ts, isEdited: false });
    expect(message?.controls).toMatchObject([
      { type: "button", text: "Stop", actionId: "bobbin_stop", value: "run-1" },
    ]);
    expect(world.strays()).toEqual([]);
    expect(world.slack.complaints).toEqual([]);
  });

  test("is not sent when its writer has lost the thread while the page waited for its turn, or for a connection", async () => {
    let [mayBegin, isLostMeanwhile] = [true, true];
    const waits = createLocalPacer(createSystemClock());
    const pacer: Pacer = {
      ...waits,
      async take(budget, asking) {
        const waitMs = await waits.take(budget, asking);
        mayBegin &&= !isLostMeanwhile;
        return waitMs;
      },
    };
    await using world = await outboundWorld({ pacer });
    const write = () => mayBegin;
    expect(await world.surface.post("key-1", page("late"), write)).toMatchObject({ kind: "later" });
    expect(world.slack.callsOf("chat.postMessage")).toEqual([]);
    const posted = await world.surface.post("key-2", page("in time"));
    if (posted.kind !== "ok") throw new Error(posted.kind);
    expect(await world.surface.edit(posted.message, page("late"), write)).toMatchObject({ kind: "later" });
    expect(await world.surface.remove(posted.message, write)).toMatchObject({ kind: "later" });
    [mayBegin, isLostMeanwhile] = [true, false];
    expect(await world.surface.edit(posted.message, page("still in time"), write)).toMatchObject({
      kind: "ok",
    });
    expect(world.texts()).toEqual(["still in time"]);
  });

  test("R5: an edit shows only the new state of a table", async () => {
    await using world = await outboundWorld();
    const table = "| a | b | c |\n| --- | --- | --- |\n| 1 |  | x\\|y |";
    const written = await world.surface.post("key-1", page(`before\n\n${table}`));
    expect(world.texts()).toEqual(["before a | b | c --+---+---- 1 | | x|y"]);
    await world.surface.edit(written.kind === "ok" ? written.message : "", page("no table"));
    expect(world.texts()).toEqual(["no table"]);
  });

  test("S14: Slack makes no preview of a link in a post, and an edit asks for none", async () => {
    await using world = await outboundWorld();
    const link = page("[look](https://evil.example/?d=secret)");
    const posted = await world.surface.post("key-1", link);
    await world.surface.edit(posted.kind === "ok" ? posted.message : "", { ...link, footer: "12 s" });
    const [post] = world.slack.callsOf("chat.postMessage");
    const [edit] = world.slack.callsOf("chat.update");
    expect(post?.args).toMatchObject({ unfurl_links: "false", unfurl_media: "false" });
    for (const flag of ["unfurl_links", "unfurl_media"]) expect(edit?.args).not.toHaveProperty(flag);
    expect(world.slack.complaints).toEqual([]);
  });

  test("R9: nobody is pinged by a post or by an edit", async () => {
    await using world = await outboundWorld();
    const hostile = `<!channel> @everyone <@${world.ana.id}> <!here>`;
    const written = await world.surface.post("key-1", page(hostile));
    await world.surface.edit(written.kind === "ok" ? written.message : "", page(`${hostile} again`));
    expect(world.slack.complaints).toEqual([]);
    expect(world.texts()).toEqual([`<!channel> @everyone <@${world.ana.id}> <!here> again`]);
  });

  test("R9: a person on the allow-list is mentioned", async () => {
    await using world = await outboundWorld({ surface: { mayMention: () => true } });
    world.slack.allowMention(world.ana.id);
    await world.surface.post("key-1", page(`over to <@${world.ana.id}>`));
    expect(world.texts()).toEqual([`over to @${world.ana.id}`]);
    expect(world.slack.complaints).toEqual([]);
  });

  test("R20: a page whose blocks are refused is there as text, by post and by edit", async () => {
    await using world = await outboundWorld();
    world.slack.fault("chat.postMessage", { kind: "refused", error: "invalid_blocks" });
    const written = await world.surface.post("key-1", { ...page("**the** answer"), footer: "12 s" });
    expect(written.kind).toBe("ok");
    expect(world.texts()).toEqual(["*the* answer 12 s"]);
    world.slack.fault("chat.update", { kind: "refused", error: "invalid_blocks" });
    await world.surface.edit(written.kind === "ok" ? written.message : "", page("more"));
    expect(world.texts()).toEqual(["more"]);
    world.slack.fault("chat.postMessage", { kind: "refused", error: "invalid_blocks" }, { times: 2 });
    expect(await world.surface.post("key-2", page("x"))).toMatchObject({ kind: "refused" });
    expect(await world.surface.find("key-1")).toBeDefined();
  });

  test("asks with Slack's own buttons what people think, and in a Slack that has none with plain ones, for good and without noise", async () => {
    await using world = await outboundWorld();
    const asked: PageContent = {
      markdown: "the **answer**",
      buttons: [
        { action: "details", label: "Details", value: "run-1" },
        { action: "good", label: "Good answer", value: "run-1" },
        { action: "bad", label: "Bad answer", value: "run-1" },
      ],
    };
    const controls = () => world.shown().map((one) => one.controls.map(({ actionId }) => actionId));
    await world.surface.post("key-1", asked);
    expect(controls()).toEqual([["bobbin_details", "bobbin_feedback"]]);
    expect(world.shown()[0]?.controls[1]?.options).toEqual(["good run-1", "bad run-1"]);
    // Neither kind of buttons was at fault in this page.
    world.slack.fault("chat.postMessage", { kind: "refused", error: "invalid_blocks" }, { times: 2 });
    await world.surface.post("key-0", asked);
    expect(controls().slice(1)).toEqual([[]]);
    world.slack.fault("chat.postMessage", { kind: "refused", error: "invalid_blocks" });
    await world.surface.post("key-2", asked);
    await world.surface.post("key-3", asked);
    const plain = ["bobbin_details", "bobbin_good", "bobbin_bad"];
    expect(controls().slice(2)).toEqual([plain, plain]);
    // The words keep their look.
    expect(world.shown()[2]?.blocks?.[0]).toMatchObject({ type: "rich_text" });
    expect(world.slack.complaints).toEqual([]);
  });

  test("shows steps as a plan with a card each, and as lines in a Slack that has no plans, where feedback keeps its buttons", async () => {
    await using world = await outboundWorld();
    const stepped: PageContent = {
      markdown: "the **answer**",
      steps: [
        { id: "step-1", line: "Reading a page · 4 s", state: "done" },
        { id: "step-2", line: "Reading a page · failed", state: "failed" },
        { id: "step-3", line: "Looking at the clock", state: "running" },
      ],
      buttons: [
        { action: "good", label: "Good answer", value: "run-1" },
        { action: "bad", label: "Bad answer", value: "run-1" },
      ],
    };
    const types = () => world.shown().map(({ blocks = [] }) => blocks.map(({ type }) => type));
    await world.surface.post("key-1", stepped);
    expect(types()).toEqual([["rich_text", "plan", "context_actions"]]);
    expect(world.shown()[0]?.blocks?.[1]?.["tasks"]).toMatchObject([
      { title: "Reading a page · 4 s", status: "complete" },
      { title: "Reading a page · failed", status: "error" },
      { title: "Looking at the clock", status: "in_progress" },
    ]);
    world.slack.fault("chat.postMessage", { kind: "refused", error: "invalid_blocks" });
    await world.surface.post("key-2", stepped);
    await world.surface.post("key-3", stepped);
    const lines = ["rich_text", "context", "context_actions"];
    expect(types().slice(1)).toEqual([lines, lines]);
    expect(new Set(world.texts()).size).toBe(1);
    expect(world.slack.unusedFaults).toBe(0);
    expect(world.slack.complaints).toEqual([]);
  });

  test("R18: what shows nothing is not sent", async () => {
    await using world = await outboundWorld();
    expect(await world.surface.post("key-1", page(" \u200B"))).toMatchObject({ kind: "refused" });
    expect(world.slack.callsOf("chat.postMessage")).toEqual([]);
  });

  test.each<[string, object]>([
    ["message_not_found", { kind: "gone", what: "message" }],
    ["thread_not_found", { kind: "gone", what: "thread" }],
    ["is_archived", { kind: "gone", what: "thread" }],
    ["not_in_channel", { kind: "gone", what: "thread" }],
    ["msg_too_long", { kind: "too_long" }],
    ["msg_blocks_too_long", { kind: "too_long" }],
    ["internal_error", { kind: "unknown" }],
    ["restricted_action", { kind: "refused" }],
    ["token_revoked", { kind: "later", isBarred: true }],
  ])("the answer %s is a decision", async (error, decision) => {
    await using world = await outboundWorld();
    world.slack.fault("chat.postMessage", { kind: "refused", error });
    expect(await world.surface.post("key-1", page("x"))).toMatchObject(decision);
    expect(world.slack.callsOf("chat.postMessage")).toHaveLength(1);
  });

  test("I23: below a message that cannot hold a thread nothing is tried again", async () => {
    await using world = await outboundWorld();
    world.slack.fault("chat.postMessage", { kind: "refused", error: "cannot_reply_to_message" });
    expect(await world.surface.post("key-1", page("x"))).toEqual({ kind: "gone", what: "thread" });
    expect(world.strays()).toEqual([]);
  });

  test("a page that may not be edited any more makes room for another", async () => {
    await using world = await outboundWorld();
    const written = await world.surface.post("key-1", page("old"));
    const message = written.kind === "ok" ? written.message : "";
    world.slack.fault("chat.update", { kind: "refused", error: "edit_window_closed" });
    expect(await world.surface.edit(message, page("new"))).toEqual({ kind: "gone", what: "frozen" });
    expect(world.texts()).toEqual([]);
  });

  test("where many threads write, progress waits for its turn, and a final does not", async () => {
    const clock = manualClock();
    await using world = await outboundWorld({ pacer: createLocalPacer(clock) });
    const posted = await world.surface.post("key-1", page("one"));
    const message = posted.kind === "ok" ? posted.message : "";
    const edit = (text: string, urgency: Urgency) =>
      world.surface.edit(message, page(text), undefined, urgency);
    const kinds = [];
    for (let n = 0; n < 10; n++) kinds.push((await edit(`${n}`, "progress")).kind);
    expect(kinds).toEqual([...Array(8).fill("ok"), "later", "later"]);
    expect(await edit("whole", "final")).toMatchObject({ kind: "ok" });
    expect(await edit("late", "progress")).toMatchObject({ kind: "later", isTurn: true });
    expect(world.slack.callsOf("chat.update")).toHaveLength(9);
    expect(world.texts()).toEqual(["whole"]);
  });

  test("after Slack has refused an edit all edits of the workspace keep to its limit, finals first", async () => {
    const clock = manualClock();
    await using world = await outboundWorld({ pacer: createLocalPacer(clock) });
    const posted = await world.surface.post("key-1", page("one"));
    const message = posted.kind === "ok" ? posted.message : "";
    world.slack.fault("chat.update", { kind: "rate limited", retryAfterS: 5 });
    expect(await world.surface.edit(message, page("a"))).toEqual({ kind: "later", afterMs: 5_000 });
    const other = world.surfaces.of(
      `${world.session.slice(0, world.session.lastIndexOf(":"))}:1.000001` as typeof world.session,
    );
    expect(await other.edit("1.000002", page("b"), undefined, "progress")).toMatchObject({
      kind: "later",
      isTurn: true,
    });
    expect(await other.edit("1.000002", page("b"))).toEqual({ kind: "later", afterMs: 5_000, isTurn: true });
    expect(world.slack.callsOf("chat.update")).toHaveLength(1);
  });

  test("R19: a post is found by the id of its block where Slack does not show metadata", async () => {
    await using world = await outboundWorld();
    await world.api.call("chat.postMessage", {
      channel: world.channel.id,
      thread_ts: world.root.ts,
      text: "x",
      blocks: [{ type: "divider", block_id: "key-7" }],
      unfurl_links: false,
      unfurl_media: false,
    });
    expect(await world.surface.find("key-7")).toBe(world.shown()[0]?.ts);
  });

  test("R19: a search that Slack cuts short goes on where it stopped", async () => {
    await using world = await outboundWorld();
    for (let index = 0; index < 450; index++)
      world.ana.say(world.channel, `${index}`, { thread: world.root });
    const written = await world.surface.post("key-1", page("late"));
    world.slack.fault(
      "conversations.replies",
      { kind: "rate limited", retryAfterS: 1 },
      { when: (call) => call.has("cursor") },
    );
    const again = world.surfaces.of(world.session);
    await expect(again.find("key-1")).rejects.toThrow("could not be searched");
    const found = await until(() => again.find("key-1"), { what: "Slack takes the search again" });
    expect(written).toEqual({ kind: "ok", message: found });
    const first = world.slack
      .callsOf("conversations.replies")
      .filter(({ args }) => args["cursor"] === undefined);
    expect(first).toHaveLength(1);
  });
});
