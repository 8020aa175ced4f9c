import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import { replyBench, roundOf, settledTexts, settles, stopped, thumbsOf } from "../../support/reply-bench.ts";

const start: RunEvent = { kind: "round", round: 1, state: "start" };
const text = (said: string): RunEvent => ({ kind: "text", text: said });
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index}. ${"word ".repeat(30).trim()}`).join(
    "\n\n",
  );

describe("a reply that grows", () => {
  it("shows a sign of life at once, with a button to stop", async () => {
    const { clock, thread, writer, run } = replyBench();
    writer().on(start);
    await clock.advance(0);
    expect(thread.visible()).toEqual([
      { markdown: "", status: "Thinking", buttons: [{ action: "stop", label: "Stop", value: run.id }] },
    ]);
  });

  it("shows the first words at once, then writes at most once per interval the newest text", async () => {
    const { clock, thread, writer } = replyBench({ editEveryMs: 1000 });
    const reply = writer();
    reply.on(start);
    await clock.advance(0);
    for (let piece = 0; piece < 50; piece++) {
      reply.on(text(`w${piece} `));
      await clock.advance(100);
    }
    expect(thread.writes.map(({ at }) => at)).toEqual([0, 150, 1150, 2150, 3150, 4150]);
    expect(thread.texts()[0]).toMatch(/^w0 w1 .*w41$/);
    expect(thread.faults).toEqual([]);
  });

  it("shows the first words at once also where they come while its first page is under way", async () => {
    const { clock, thread, writer } = replyBench({ editEveryMs: 1000 });
    thread.reactions.push({ kind: "ok", afterMs: 80 });
    const reply = writer({ isNew: true });
    reply.on(start);
    await clock.advance(10);
    reply.on(text("w1 "));
    await clock.advance(500);
    expect(thread.texts()).toEqual(["w1"]);
    expect(thread.writes.length).toBe(2);
  });

  it.each([
    { what: "words", own: text("far as here, and more") },
    { what: "a tool", own: { kind: "tool_input", call: "c1", name: "clock", text: "{}" } as const },
  ])("of an attempt before stays as it stands until the next attempt has $what", async ({ own }) => {
    const { clock, thread, writer } = replyBench({ editEveryMs: 1000 });
    const before = writer();
    before.on(start);
    before.on(text("as far as here"));
    await clock.advance(2000);
    await before.stop();
    const { length: written } = thread.writes;
    const next = writer({ fenceNumber: 2 });
    next.on(start);
    next.on({ kind: "thinking", text: "hmm" });
    await clock.advance(5000);
    expect(thread.writes.length).toBe(written);
    expect(thread.texts()).toEqual(["as far as here"]);
    next.on(own);
    await clock.advance(1000);
    expect(thread.writes.length).toBe(written + 1);
    expect(thread.faults).toEqual([]);
  });

  it("writes nothing where nothing changed", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    reply.on(start);
    await clock.advance(5000);
    reply.on({ kind: "thinking", text: "hmm" });
    await clock.advance(5000);
    expect(thread.writes.length).toBe(1);
    // One waits to tell how long it has been thinking, and none once the reply is left.
    expect(clock.waiting).toBe(1);
    await reply.stop();
    expect(clock.waiting).toBe(0);
  });

  it("shows tools as one line and never their arguments or the model's thoughts", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    reply.on(start);
    reply.on({ kind: "thinking", text: "secret thought" });
    reply.on({ kind: "tool_call", call: { id: "c1", name: "time_in_zone", arguments: '{"zone":"x"}' } });
    await clock.advance(2000);
    expect(thread.visible()[0]?.status).toBe("Using a tool");
    expect(JSON.stringify(thread.visible())).not.toMatch(/secret|zone":/);
  });

  it("takes back what a round said when it comes again", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    for (const event of [start, text("Half an ans")]) reply.on(event);
    await clock.advance(1000);
    reply.on({ kind: "round", round: 1, state: "again", why: "cut" });
    reply.on(text("A whole answer."));
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
    expect(thread.texts()).toEqual(["A whole answer."]);
  });

  it("gives progress up after it failed several times in a row, and still settles", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    thread.react = () => ({ kind: "unknown", landed: false });
    reply.on(start);
    await clock.advance(600_000);
    const tries = thread.writes.length;
    expect(tries).toBe(5);
    for (const event of roundOf(1, "The answer.")) reply.on(event);
    await clock.advance(600_000);
    expect(thread.writes.length).toBe(tries);
    thread.react = () => ({ kind: "ok" });
    await settles(clock, reply.settle(stopped));
    expect(thread.texts()).toEqual(["The answer."]);
    expect(thread.faults).toEqual([]);
  });

  it("goes on after the store was away for a moment", async () => {
    const { clock, thread, pages, writer } = replyBench();
    const reply = writer();
    pages.failingWrites = 2;
    reply.on(start);
    await clock.advance(10_000);
    expect(thread.visible().length).toBe(1);
  });

  it("keeps its pages while the text grows over several of them", async () => {
    const { clock, thread, writer } = replyBench({ pageSize: 500 });
    const reply = writer();
    reply.on(start);
    const whole = paragraphs(20);
    for (let at = 0; at < whole.length; at += 100) {
      reply.on(text(whole.slice(at, at + 100)));
      await clock.advance(1000);
    }
    const before = thread.writes.length;
    await settles(clock, reply.settle(stopped));
    expect(thread.texts().join("\n\n")).toBe(whole);
    // Only the last page changes at the end, and each page was left as it was once the next had begun.
    expect(thread.writes.length - before).toBeLessThanOrEqual(2);
    expect(thread.messages.every((message) => !message.isDeleted)).toBe(true);
  });
});

describe("the final of a reply", () => {
  it("stands without status and Stop, with what it took", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    for (const event of roundOf(1, "Hello ", "there.")) reply.on(event);
    reply.on({
      kind: "usage",
      usage: { model: "m", input: 1200, output: 34, cost: 0.0042, durationMs: 900 },
    });
    await settles(clock, reply.settle(stopped));
    expect(thread.visible()).toEqual([
      { markdown: "Hello there.", footer: "12 s · 1,234 tokens · $0.0042", buttons: thumbsOf("r1") },
    ]);
  });

  it("R12: waits for the edit under way, and the whole text is what stays", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    reply.on(start);
    await clock.advance(1000);
    thread.reactions.push({ kind: "ok", afterMs: 800 }, { kind: "ok", afterMs: 50 });
    reply.on(text("Partial"));
    await clock.advance(10);
    reply.on(text(" and whole."));
    const settled = reply.settle(stopped);
    await clock.advance(700);
    expect(thread.writes.length).toBe(2);
    await settles(clock, settled);
    expect(thread.texts()).toEqual(["Partial and whole."]);
    expect(thread.faults).toEqual([]);
  });

  it("is written when all that was ever written before it failed", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    for (let time = 0; time < 20; time++) thread.reactions.push({ kind: "unknown", landed: false });
    for (const event of roundOf(1, "The answer.")) reply.on(event);
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
    expect(thread.texts()).toEqual(["The answer."]);
  });

  it("waits as long as the platform says, and not a moment less", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    thread.reactions.push({ kind: "later", waitMs: 7000 });
    for (const event of roundOf(1, "The answer.")) reply.on(event);
    const settled = reply.settle(stopped);
    await clock.advance(6999);
    expect(thread.writes.length).toBe(1);
    await clock.advance(1);
    expect(thread.texts()).toEqual(["The answer."]);
    expect(await settled).toEqual({ kind: "settled" });
  });

  it("never changes again: later events and a second settle write nothing", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    for (const event of roundOf(1, "Done.")) reply.on(event);
    await settles(clock, reply.settle(stopped));
    thread.isSettled = true;
    reply.on(text("more"));
    await reply.settle({ ...stopped, reason: "cancelled" });
    await clock.advance(60_000);
    expect(thread.faults).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  it("R15: a final that is too long for an edit is split smaller, and no placeholder stays", async () => {
    const { clock, thread, writer } = replyBench({ pageSize: 12_000, editSize: 4000 });
    const reply = writer();
    reply.on(start);
    await clock.advance(1000);
    const whole = paragraphs(52);
    expect(whole.length).toBeGreaterThan(8500);
    for (const event of roundOf(1, whole)) reply.on(event);
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
    expect(thread.texts().join("\n\n")).toBe(whole);
    expect(thread.visible().filter((page) => page.status !== undefined)).toEqual([]);
    expect(thread.faults).toEqual([]);
  });

  it("is laid out once, however many pages it has", async () => {
    const { clock, thread, writer, run } = replyBench();
    const text = paragraphs(300);
    const { measure } = thread.limits;
    let measured = 0;
    const limits = {
      ...thread.limits,
      measure(markdown: string) {
        measured++;
        return measure(markdown);
      },
    };
    Object.assign(thread, { limits });
    const pages = settledTexts(run, [text], limits).length;
    const once = measured;
    const reply = writer();
    for (const event of roundOf(1, text)) reply.on(event);
    measured = 0;
    await settles(clock, reply.settle(stopped));
    expect(pages).toBeGreaterThan(20);
    expect(thread.texts().length).toBe(pages);
    expect(measured).toBeLessThanOrEqual(once);
    expect(thread.faults).toEqual([]);
  });

  it("R18: a blank answer becomes a short notice", async () => {
    for (const blank of [" \n", "\u200B", ""]) {
      const { clock, thread, writer } = replyBench();
      const reply = writer();
      for (const event of roundOf(1, blank)) reply.on(event);
      await clock.advance(3000);
      expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
      expect(thread.texts()).toEqual([
        "The model gave an empty answer. Please ask again, perhaps in other words.",
      ]);
      expect(thread.faults).toEqual([]);
    }
  });

  it("R19: a post whose response was lost is looked for before it is posted again", async () => {
    for (const landed of [true, false]) {
      const { clock, thread, writer } = replyBench();
      thread.reactions.push({ kind: "unknown", landed });
      thread.failingFinds = 2;
      const reply = writer();
      for (const event of roundOf(1, "Only once.")) reply.on(event);
      expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
      expect(thread.texts()).toEqual(["Only once."]);
      expect(thread.faults).toEqual([]);
    }
  });

  it("R19: where a second post with a key is the first, the newest text still stays", async () => {
    const { clock, thread, writer } = replyBench({ mergesKeys: true });
    const reply = writer();
    thread.reactions.push({ kind: "unknown", landed: true });
    // Nothing is ever found, as on a platform that shows keys only for a while.
    thread.find = async () => undefined;
    reply.on(start);
    await clock.advance(0);
    for (const event of roundOf(1, "The answer.")) reply.on(event);
    await settles(clock, reply.settle(stopped));
    expect(thread.texts()).toEqual(["The answer."]);
  });

  it("R20: a page that is refused is shown as plain text, once, and then given up", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    for (const event of roundOf(1, "Some **bold** `code` and [docs](https://example.org).")) reply.on(event);
    thread.react = ({ page }) => ({ kind: page?.markdown.includes("**") === true ? "refused" : "ok" });
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
    expect(thread.texts()).toEqual(["Some bold code and docs (https://example.org)."]);

    const other = replyBench();
    const refused = other.writer();
    for (const event of roundOf(1, "Never.")) refused.on(event);
    other.thread.react = () => ({ kind: "refused" });
    const settled = await settles(other.clock, refused.settle(stopped));
    expect(settled).toEqual({ kind: "refused", why: "invalid_blocks" });
    expect(other.thread.writes.length).toBeLessThan(6);
    expect(other.clock.waiting).toBe(0);
  });

  it("posts anew once what a person deleted, in order, and ends quietly the second time", async () => {
    const { clock, thread, writer } = replyBench({ pageSize: 500, mergesKeys: true });
    const reply = writer();
    reply.on(start);
    reply.on(text(paragraphs(8)));
    await clock.advance(10_000);
    expect(thread.visible().length).toBeGreaterThan(2);
    thread.deleteShown(0);
    const last = thread.visible().length;
    reply.on({ kind: "round", round: 1, state: "again", why: "cut" });
    const whole = `New. ${paragraphs(8)}`;
    reply.on(text(whole));
    await clock.advance(20_000);
    expect(thread.visible().length).toBeGreaterThanOrEqual(last);
    expect(thread.texts()[0]).toMatch(/^New\. /);
    thread.deleteShown(thread.visible().length - 1);
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "gone" });
    expect(thread.faults).toEqual([]);
  });

  it("ends quietly when the thread is gone, in mid-run too", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    reply.on(start);
    await clock.advance(1000);
    thread.isGone = true;
    for (const event of roundOf(1, "For nobody.")) reply.on(event);
    await clock.advance(5000);
    const writes = thread.writes.length;
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "gone" });
    expect(thread.writes.length).toBe(writes);
  });

  it("rejects when the store is away, since the reply is then still to settle", async () => {
    const { clock, pages, writer } = replyBench();
    const reply = writer();
    pages.failingWrites = 1;
    await expect(settles(clock, reply.settle(stopped))).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("removes pages that are not needed any more", async () => {
    const { clock, thread, pages, writer, run } = replyBench({ pageSize: 500 });
    const reply = writer();
    reply.on(start);
    reply.on(text(paragraphs(10)));
    await clock.advance(20_000);
    expect(thread.visible().length).toBeGreaterThan(2);
    reply.on({ kind: "round", round: 1, state: "again", why: "cut" });
    reply.on(text("Short."));
    await settles(clock, reply.settle(stopped));
    expect(thread.texts()).toEqual(["Short."]);
    expect(await pages.list(run.id)).toHaveLength(1);
  });

  it("ends as refused where the platform finds even the notice too long, and does not try for ever", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer();
    thread.react = () => ({ kind: "too_long" });
    reply.on(text(paragraphs(3)));
    expect(await settles(clock, reply.settle(stopped))).toMatchObject({ kind: "refused" });
    expect(thread.writes.length).toBeLessThan(50);
    expect(thread.faults).toEqual([]);
  });
});
