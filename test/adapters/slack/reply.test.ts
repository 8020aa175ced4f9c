// What people see of a reply in Slack when things go wrong: the real writer and surface on the local Slack.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import { roundOf, stopped } from "../../support/reply-bench.ts";
import { until } from "../../support/until.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

let world: OutboundWorld;
beforeEach(async () => {
  world = await outboundWorld();
});
afterEach(async () => {
  // Whatever happened: nothing in the channel itself, nothing that Slack or a person would punish.
  expect(world.strays()).toEqual([]);
  expect(world.slack.complaints).toEqual([]);
  expect(world.slack.unusedFaults).toBe(0);
  await world[Symbol.asyncDispose]();
});

const started: RunEvent = { kind: "round", round: 1, state: "start" };
const said = (text: string): RunEvent => ({ kind: "text", text });

const shows = (what: RegExp | string) =>
  until(
    () => world.texts().some((text) => (typeof what === "string" ? text.includes(what) : what.test(text))),
    {
      what: `the thread shows ${String(what)}`,
    },
  );
/** Of the reply, without what stands below it. */
const answers = (): readonly string[] => world.texts().map((text) => text.replace(/ 12 s$/, ""));

describe("a reply in Slack", () => {
  test("gives its first sign of life at once, streams, and settles whole without an edit mark", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    // Nothing is asked of Slack before it.
    const methods = world.slack.calls.map(({ method }) => method);
    expect(methods.toSorted()).toEqual(["agents.sessions.setStatus", "chat.postMessage"]);
    expect(world.shown()[0]?.controls.map(({ actionId }) => actionId)).toEqual(["bobbin_stop"]);
    writer.on(said("The answer "));
    await shows(/The answer .*Writing…/);
    writer.on(said("is 42."));
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The answer is 42."]);
    // Only what asks how the answer was stays.
    const controls = [expect.objectContaining({ actionId: "bobbin_feedback" })];
    expect(world.shown()[0]).toMatchObject({ isEdited: false, controls });
  });

  test("R19: a post that was taken but whose response was lost is there once", async () => {
    world.slack.fault("chat.postMessage", { kind: "lost response" });
    const writer = world.writer();
    for (const event of roundOf(1, "once")) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["once"]);
  });

  test("R19: the same where another attempt takes over before anybody knows", async () => {
    world.slack.fault("chat.postMessage", { kind: "lost response" });
    const first = world.writer();
    first.on(started);
    await shows("Thinking…");
    await first.stop();
    const second = world.writer("r1", { fenceNumber: 2 });
    for (const event of roundOf(1, "taken over")) second.on(event);
    expect(await second.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["taken over"]);
  });

  test("R19: a post that never arrived is made once", async () => {
    world.slack.fault("chat.postMessage", { kind: "unreachable" });
    const writer = world.writer();
    for (const event of roundOf(1, "arrived")) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["arrived"]);
  });

  test("a 429 on the post is waited for, and the answer is there whole and once", async () => {
    world.slack.fault("chat.postMessage", { kind: "rate limited", retryAfterS: 1 }, { times: 2 });
    const writer = world.writer();
    for (const event of roundOf(1, "late but whole")) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["late but whole"]);
  });

  test("a 429 on the final edit is waited for, and the newest text lands", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    world.slack.fault("chat.update", { kind: "rate limited", retryAfterS: 1 }, { times: 2 });
    writer.on(said("first, "));
    writer.on(said("and last"));
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["first, and last"]);
  });

  test.each([500, 503])("a %i on post and edit ends in one whole answer", async (status) => {
    world.slack.fault("chat.postMessage", { kind: "status", status });
    const writer = world.writer();
    for (const event of roundOf(1, "whole")) writer.on(event);
    await shows("whole");
    world.slack.fault("chat.update", { kind: "status", status });
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["whole"]);
  });

  test("R12: the final edit waits for the one under way, and the full text stands at the end", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    const release = Promise.withResolvers<void>();
    world.slack.fault("chat.update", { kind: "late", until: release.promise });
    writer.on(said("half"));
    await until(() => world.slack.callsOf("chat.update").length === 1, { what: "the progress is under way" });
    writer.on(said(" and the rest"));
    const settled = writer.settle(stopped);
    expect(world.slack.callsOf("chat.update")).toHaveLength(1);
    release.resolve();
    expect(await settled).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["half and the rest"]);
  });

  test("R14: the next run in the thread leaves the finished answer alone", async () => {
    const first = world.writer("r1");
    for (const event of roundOf(1, "one")) first.on(event);
    await first.settle(stopped);
    const second = world.writer("r2");
    for (const event of roundOf(1, "two")) second.on(event);
    await second.settle(stopped);
    expect(answers()).toEqual(["one", "two"]);
  });

  test("R15: what is longer than an edit may be stands in several messages, and no placeholder stays", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    const words = Array.from({ length: 1_500 }, (_, index) => `w${index}`);
    for (const event of roundOf(1, words.join(" ")).slice(1)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers().join(" ").split(" ")).toEqual(words);
    expect(world.texts().length).toBeGreaterThan(2);
  });

  test("R15: an edit that Slack finds too long after all becomes smaller pages", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    world.slack.fault("chat.update", { kind: "refused", error: "msg_too_long" });
    const words = Array.from({ length: 600 }, (_, index) => `w${index}`);
    for (const event of roundOf(1, words.join(" ")).slice(1)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers().join(" ").split(" ")).toEqual(words);
  });

  test("an answer of many pages stands whole, in its order, and no faster than Slack takes posts", async () => {
    await world[Symbol.asyncDispose]();
    world = await outboundWorld({ rateLimits: {} });
    const words = Array.from({ length: 4_500 }, (_, index) => `w${index}`);
    const writer = world.writer();
    for (const event of roundOf(1, words.join(" "))) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers().join(" ").split(" ")).toEqual(words);
    expect(world.texts().length).toBeGreaterThan(6);
    expect(world.slack.callsOf("chat.postMessage").filter(({ status }) => status === 429)).toEqual([]);
  });

  test.each([" \n", "\u200B"])("R18: a blank answer (%j) becomes a notice", async (blank) => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    for (const event of roundOf(1, blank).slice(1)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["The model gave an empty answer. Please ask again, perhaps in other words."]);
  });

  test("R20: an answer whose blocks are refused is delivered as text, once", async () => {
    world.slack.fault("chat.postMessage", { kind: "refused", error: "invalid_blocks" });
    const writer = world.writer();
    for (const event of roundOf(1, `${"long ".repeat(600)}**end**`)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(world.texts()).toHaveLength(1);
    expect(world.texts()[0]).toMatch(/^long .* \*?end\*?/);
  });

  test("a reply that a person deletes in mid-run is posted anew once", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    world.slack.remove(world.ref(world.shown()[0]?.ts ?? ""));
    for (const event of roundOf(1, "again").slice(1)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(answers()).toEqual(["again"]);
  });

  test("I11: the root is deleted before the first sign of life: nothing stays in the channel", async () => {
    world.slack.remove(world.root);
    const writer = world.writer();
    for (const event of roundOf(1, "nobody asked")) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
    expect(world.texts()).toEqual([]);
    const posts = world.slack.callsOf("chat.postMessage").length;
    expect(posts).toBe(1);
    expect(world.slack.callsOf("chat.delete")).toHaveLength(1);
  });

  test("I11: the root is deleted in mid-run: what stands is ended, and no further page is posted", async () => {
    const writer = world.writer();
    writer.on(started);
    await shows("Thinking…");
    world.slack.remove(world.root);
    const words = Array.from({ length: 2_000 }, (_, index) => `w${index}`);
    for (const event of roundOf(1, words.join(" ")).slice(1)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
    expect(world.slack.callsOf("chat.postMessage").length).toBe(2);
    expect(world.texts().some((text) => text.includes("Thinking"))).toBe(false);
  });

  test("I11: a stray post is taken back also where its answer was lost, or the removal fails at first", async () => {
    world.slack.remove(world.root);
    world.slack.fault("chat.postMessage", { kind: "lost response" });
    world.slack.fault("chat.delete", { kind: "rate limited", retryAfterS: 1 });
    const writer = world.writer();
    for (const event of roundOf(1, "nobody asked")) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
    expect(world.texts()).toEqual([]);
  });
});
