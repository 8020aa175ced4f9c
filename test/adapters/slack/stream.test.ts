// Streamed replies in direct messages: the real writer and surface on the local Slack, which ends, limits and refuses streams as Slack
// does. Whatever happens, what stands there in the end are exactly the final pages, once.
import { afterEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import { roundOf, stopped } from "../../support/reply-bench.ts";
import type { LocalSlackOptions } from "../../support/slack/local-slack.ts";
import { until } from "../../support/until.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

let world: OutboundWorld;
async function direct(options: LocalSlackOptions & { readonly aheadMs?: () => number } = {}): Promise<void> {
  world = await outboundWorld({ ...options, isDirect: true });
}
afterEach(async () => {
  expect(world.strays()).toEqual([]);
  expect(world.slack.complaints).toEqual([]);
  expect(world.slack.unusedFaults).toBe(0);
  expect(world.shown().map(({ isStreaming }) => isStreaming)).not.toContain(true);
  await world[Symbol.asyncDispose]();
});

const started: RunEvent = { kind: "round", round: 1, state: "start" };
const said = (text: string): RunEvent => ({ kind: "text", text });
const shows = (what: RegExp | string) =>
  until(
    () => world.texts().some((text) => (typeof what === "string" ? text.includes(what) : what.test(text))),
    { what: `the thread shows ${String(what)}` },
  );
const answers = (): readonly string[] => world.texts().map((text) => text.replace(/ 12 s$/, ""));
const callsOf = (method: string): number => world.slack.callsOf(method).length;
const methods = (): readonly string[] =>
  world.slack.calls.map(({ method }) => method).filter((method) => method.startsWith("chat."));
/** A writer whose stream shows words. */
async function writing(words = "The answer ") {
  const writer = world.writer("r1", { isNew: true, title: "What is the answer" });
  writer.on(started);
  await shows("Thinking…");
  writer.on(said(words));
  await shows(words.trim());
  return writer;
}

describe("a reply in direct messages", () => {
  test("is streamed from its first sign of life on, and is put right by one edit at its end", async () => {
    await direct();
    const writer = await writing();
    expect(world.shown()[0]?.controls.map(({ actionId }) => actionId)).toEqual(["bobbin_stop"]);
    expect(world.slack.statusLine(world.channel, world.root.ts)).toBe("processing");
    writer.on(said("is **42"));
    writer.on(said("**, and more"));
    await shows("is **42**, and more");
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The answer is 42, and more"]);
    expect(methods().filter((method) => method !== "chat.appendStream")).toEqual([
      "chat.startStream",
      "chat.stopStream",
      "chat.update",
    ]);
    expect(world.shown()[0]).toMatchObject({
      isEdited: false,
      controls: [expect.objectContaining({ actionId: "bobbin_feedback" })],
    });
    await until(() => world.slack.statusLine(world.channel, world.root.ts) === "", { what: "the sign goes" });
    expect(world.slack.sessionShown(world.channel, world.root.ts)?.title).toBe("What is the answer");
  });

  test("never shows half of what was begun, and nothing that pings, links or is fetched", async () => {
    await direct();
    const answer = [
      "Ask <!channel> or @here, see [the whole label](https://a.example/x?y=1) and https://b.example.",
      "",
      "| a | b |",
      "| --- | --- |",
      "| 1 | `two` |",
      "",
      "```ts",
      'const x = a["b"](c);',
      "```",
      "",
      "The *end* 👩‍👩‍👧.",
    ].join("\n");
    const writer = world.writer("r1", { isNew: true });
    writer.on(started);
    await shows("Thinking…");
    for (let at = 0; at < answer.length; at += 40) {
      writer.on(said(answer.slice(at, at + 40)));
      const before = callsOf("chat.appendStream");
      await until(() => callsOf("chat.appendStream") > before, {
        what: "it was shown, or held back",
        timeoutMs: 1_500,
      }).catch(() => undefined);
    }
    await shows("The *end*");
    const versions = world.shown()[0]?.versions.map(({ text }) => text) ?? [];
    expect(versions.length).toBeGreaterThan(4);
    for (const text of versions) {
      expect(text).not.toMatch(/\[the|\]\(https|\*end(?!\*)|<!channel>|https?:\/\//);
      // A header alone is no table.
      expect(text).not.toMatch(/\| a \| b \|(?!\n\| --- \| --- \|)/);
    }
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toHaveLength(1);
  });

  test.each([
    ["beginning", "chat.startStream"],
    ["addition", "chat.appendStream"],
    ["end", "chat.stopStream"],
    ["last edit", "chat.update"],
  ])("R19: where the answer to its %s was lost, nothing is doubled", async (_, method) => {
    await direct();
    world.slack.fault(method, { kind: "lost response" });
    const writer = await writing();
    writer.on(said("and "));
    writer.on(said("more"));
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    if (method === "chat.appendStream") expect(callsOf("chat.stopStream")).toBe(1);
    expect(answers()).toEqual(["The answer and more"]);
  });

  test.each(["chat.startStream", "chat.appendStream", "chat.stopStream"])(
    "a 429 of %s is waited for, or done without",
    async (method) => {
      await direct();
      world.slack.fault(method, { kind: "rate limited", retryAfterS: 1 });
      const writer = world.writer("r1", { isNew: true });
      writer.on(started);
      await shows("Thinking…");
      writer.on(said("The answer "));
      await until(() => callsOf("chat.appendStream") + callsOf("chat.update") > 0, {
        what: "words are sent",
      });
      writer.on(said("and more"));
      expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
      expect(answers()).toEqual(["The answer and more"]);
    },
  );

  test.each(["chat.startStream", "chat.appendStream", "chat.stopStream"])(
    "a 503 of %s ends in one whole answer",
    async (method) => {
      await direct();
      world.slack.fault(method, { kind: "status", status: 503 });
      const writer = await writing();
      writer.on(said("and more"));
      expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
      expect(answers()).toEqual(["The answer and more"]);
    },
  );

  test("R19: who takes over ends the stream of the one before, also where nobody knows that it began", async () => {
    await direct();
    const first = await writing("half of ");
    await first.stop();
    const second = world.writer("r1", { fenceNumber: 2 });
    for (const event of roundOf(1, "taken over")) second.on(event);
    expect(await second.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["taken over"]);
    world.slack.fault("chat.startStream", { kind: "lost response" });
    const third = world.writer("r2", { isNew: true });
    third.on(started);
    await until(() => callsOf("chat.startStream") === 2, { what: "the second stream is begun" });
    await third.stop();
    const fourth = world.writer("r2", { fenceNumber: 2 });
    for (const event of roundOf(1, "once more")) fourth.on(event);
    expect(await fourth.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["taken over", "once more"]);
  });

  test("pitfall 2: one that Slack has ended goes on with edits", async () => {
    let ahead = 0;
    await direct({ nowMs: () => Date.now() + ahead });
    const writer = await writing();
    // Slack has ended it, and nobody has noticed.
    ahead = 5 * 60_000;
    writer.on(said("goes on "));
    await shows(/The answer goes on .*Writing…/);
    writer.on(said("and ends"));
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The answer goes on and ends"]);
  });

  test("pitfall 2: after four minutes it is ended, before Slack would end it", async () => {
    let ahead = 0;
    await direct({ aheadMs: () => ahead });
    const writer = await writing();
    ahead = 4 * 60_000;
    writer.on(said("goes on "));
    await shows(/^The answer goes on .*Writing…/);
    expect(world.slack.callsOf("chat.stopStream").map(({ answer }) => answer?.["ok"])).toEqual([true]);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The answer goes on"]);
  });

  test("a long answer fills a page, which is put right, and goes on in a stream of its own, in a thread with the name that it has", async () => {
    await direct();
    const writer = world.writer("r1", { isNew: true, title: "Many words" });
    writer.on(started);
    await shows("Thinking…");
    const title = () => world.slack.sessionShown(world.channel, world.root.ts)?.title;
    await until(() => title() === "Many words", { what: "the thread has a title" });
    await world.surfaces.status.rename(world.session, "Q3 plan");
    const paragraph = (n: number) => `${n} ${"word ".repeat(150).trim()}\n\n`;
    for (let n = 1; n <= 6; n++) writer.on(said(paragraph(n)));
    await until(() => callsOf("chat.startStream") === 2, { what: "a second page is streamed" });
    await shows("6 word");
    // What a person has called the thread stays.
    expect([title(), callsOf("agents.sessions.rename")]).toEqual(["Q3 plan", 2]);
    expect(world.shown().map(({ isStreaming }) => isStreaming)).toEqual([false, true]);
    writer.on(said("the end"));
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers().join(" ")).toBe(
      [...[1, 2, 3, 4, 5, 6].map((n) => paragraph(n).trim()), "the end"].join(" "),
    );
  });

  test("what weighs more than Slack streams goes on with edits", async () => {
    await direct();
    const writer = world.writer("r1", { isNew: true });
    writer.on(started);
    const text = "字".repeat(3_300);
    writer.on(said(text));
    await shows("字字");
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual([text]);
  });

  test("words that have changed are put right at once: no stream shows what is not the answer any more", async () => {
    await direct();
    const writer = await writing("A wrong beginning");
    writer.on({ kind: "round", round: 1, state: "again", why: "it broke" });
    writer.on(said("The right one"));
    await shows(/^The right one Writing…/);
    expect(callsOf("chat.stopStream")).toBe(1);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The right one"]);
  });

  test("after Slack's own Stop the page says that it was stopped", async () => {
    await direct();
    const writer = await writing();
    world.ana.stop({ channel: world.channel.id, root: world.root.ts });
    expect(await writer.settle({ ...stopped, reason: "cancelled" })).toEqual({ kind: "settled" });
    expect(answers()[0]).toMatch(/^The answer Stopped\. Reply to go on, or retry\./);
  });

  test("what people write meanwhile is told of in the stream's one line", async () => {
    await direct();
    const writer = await writing();
    const author = { id: "U1", name: "Ana" };
    const parts = [{ kind: "text", text: "and in metres" }] as const;
    writer.on({ kind: "steer", messages: [{ v: 1, kind: "user", author, parts }] });
    await shows("1 new message taken in");
    expect(callsOf("chat.stopStream")).toBe(0);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The answer"]);
  });

  test("steps are tasks of the stream where they are wanted, and a plan in the end", async () => {
    await direct();
    const view = { verbosity: "steps", footer: "off", feedback: false } as const;
    const writer = world.writer("r1", { isNew: true, view: { ...view, doing: () => "Reading a page" } });
    writer.on(started);
    const call = { id: "c1", name: "read_page", arguments: "{}" };
    writer.on({ kind: "tool_call", call });
    const cards = () => (world.shown()[0]?.blocks ?? []).filter(({ type }) => type === "task_card");
    await until(() => cards().some(({ task_id }) => task_id === "step-1"), { what: "the step is shown" });
    expect(cards().find(({ task_id }) => task_id === "step-1")).toMatchObject({ status: "in_progress" });
    writer.on({
      kind: "tool_result",
      result: { call: "c1", name: "read_page", ok: false, content: "", modelContent: "" },
    });
    writer.on(said("It failed."));
    await until(() => cards().some(({ status }) => status === "error"), { what: "the step has failed" });
    expect(callsOf("chat.startStream")).toBe(1);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(world.shown()[0]?.blocks?.map(({ type }) => type)).toEqual(["rich_text", "plan", "actions"]);
  });

  test("two steps that become one line end no stream", async () => {
    await direct();
    const view = { verbosity: "steps", footer: "off", feedback: false } as const;
    const writer = world.writer("r1", { isNew: true, view: { ...view, doing: () => "Reading" } });
    writer.on(started);
    const ended = (call: string) => {
      const result = { call, name: "read_page", ok: true, content: "", modelContent: "" };
      writer.on({ kind: "tool_result", result });
    };
    for (const id of ["c1", "c2"])
      writer.on({ kind: "tool_call", call: { id, name: "read_page", arguments: "{}" } });
    const states = () =>
      (world.shown()[0]?.blocks ?? []).flatMap(({ task_id, status }) =>
        String(task_id).startsWith("step-") ? [`${String(task_id)} ${String(status)}`] : [],
      );
    await until(() => states().length > 0, { what: "the steps are shown" });
    ended("c1");
    await until(() => states().includes("step-2 in_progress"), { what: "one is done, and one is not" });
    ended("c2");
    writer.on(said("Both are read."));
    await shows("Both are read.");
    expect(states()).toEqual(["step-1 complete", "step-2 complete"]);
    expect(callsOf("chat.stopStream")).toBe(0);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
  });

  test.each(["unknown_method", "not_agent_app"])(
    "in a Slack that streams nothing (%s) replies are posted and edited, and nobody asks again",
    async (error) => {
      await direct();
      world.slack.fault("chat.startStream", { kind: "refused", error });
      for (const name of ["r1", "r2"]) {
        const writer = world.writer(name, { isNew: true });
        writer.on(started);
        await shows("Thinking…");
        writer.on(said(`answer of ${name}`));
        expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
      }
      expect(answers()).toEqual(["answer of r1", "answer of r2"]);
      expect(callsOf("chat.startStream")).toBe(1);
    },
  );

  test.each(["invalid_chunks", "invalid_arguments"])(
    "a page that Slack does not stream (%s) is posted and edited, and the next answer is streamed",
    async (error) => {
      await direct();
      world.slack.fault("chat.startStream", { kind: "refused", error });
      for (const name of ["r1", "r2"]) {
        const writer = world.writer(name, { isNew: true });
        writer.on(started);
        await shows("Thinking…");
        expect(world.shown().at(-1)?.isStreaming === true).toBe(name === "r2");
        writer.on(said(`answer of ${name}`));
        expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
      }
      expect(answers()).toEqual(["answer of r1", "answer of r2"]);
      expect(callsOf("chat.startStream")).toBe(2);
    },
  );

  test.each([
    ["a moment later", 3, 0],
    ["never", 5, 2],
  ])("where Slack knows %s that a stream has ended, the answer is there once", async (_, times, removed) => {
    await direct();
    world.slack.fault("chat.update", { kind: "refused", error: "streaming_state_conflict" }, { times });
    const writer = await writing("The answer");
    // Nothing is posted beside it before it is known to be taken away.
    if (removed > 0) world.slack.fault("chat.delete", { kind: "status", status: 503 });
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The answer"]);
    expect(callsOf("chat.delete")).toBe(removed);
  });

  test("where many answers grow at once the others are posted and edited, and finals wait for nobody", async () => {
    await direct({ rateLimits: {} });
    const writers = Array.from({ length: 10 }, (_, n) => world.writer(`r${n}`, { isNew: true }));
    for (const writer of writers) writer.on(started);
    await until(() => world.shown().length === 10, { what: "all have begun" });
    for (const [n, writer] of writers.entries()) writer.on(said(`answer ${n}`));
    const since = performance.now();
    await Promise.all(writers.map((writer) => writer.settle(stopped)));
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(answers().toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `answer ${n}`));
    const refused = world.slack.calls.filter(({ status }) => status === 429);
    expect(refused).toEqual([]);
    expect(callsOf("chat.startStream")).toBeLessThanOrEqual(6);
  });
});

test("pitfall 4: in a channel nothing is streamed, since others would not see it", async () => {
  world = await outboundWorld();
  const writer = world.writer("r1", { isNew: true });
  for (const event of roundOf(1, "for all")) writer.on(event);
  expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
  expect(callsOf("chat.startStream")).toBe(0);
});
