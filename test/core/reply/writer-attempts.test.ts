import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import { documentOf } from "../../../src/core/reply/document.ts";
import {
  entryOf,
  fenceOf,
  replyBench,
  roundOf,
  runNamed,
  settledTexts,
  settles,
  stopped,
  thumbsOf,
} from "../../support/reply-bench.ts";

const start: RunEvent = { kind: "round", round: 1, state: "start" };
const text = (said: string): RunEvent => ({ kind: "text", text: said });
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index}. ${"word ".repeat(30).trim()}`).join(
    "\n\n",
  );

describe("attempts and turns", () => {
  it("R14: two turns of a thread never share a message", async () => {
    const { clock, thread, writer } = replyBench();
    const first = writer();
    for (const event of roundOf(1, "one")) first.on(event);
    await settles(clock, first.settle(stopped));
    const run = runNamed("r2");
    const second = writer({ run, fence: fenceOf(run, 2) });
    for (const event of roundOf(1, "two")) second.on(event);
    await settles(clock, second.settle(stopped));
    expect(thread.texts()).toEqual(["one", "two"]);
  });

  it("goes on in the same message after a takeover, with what was said before", async () => {
    const { clock, thread, writer, run } = replyBench();
    const first = writer();
    for (const event of roundOf(1, "First part.")) first.on(event);
    await clock.advance(2000);
    await first.stop();
    const document = documentOf(run, [entryOf(run, 1, "First part.")]);
    const second = writer({ fenceNumber: 2, document });
    for (const event of roundOf(2, "Second part.")) second.on(event);
    await settles(clock, second.settle(stopped));
    expect(thread.texts()).toEqual(["First part.\n\nSecond part."]);
  });

  it("is lost to a newer fence, writes nothing more and says so", async () => {
    const { clock, thread, pages, writer } = replyBench({ pageSize: 500 });
    const reply = writer();
    reply.on(start);
    await clock.advance(1000);
    pages.newestFence = 9;
    reply.on(text(paragraphs(10)));
    await clock.advance(20_000);
    const writes = thread.writes.length;
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "lost" });
    await clock.advance(60_000);
    expect(thread.writes.length).toBe(writes);
  });

  it("starts no write once the lease has run out", async () => {
    const { clock, thread, writer } = replyBench();
    let isLive = true;
    const reply = writer({ isLive: () => isLive });
    reply.on(start);
    await clock.advance(1000);
    isLive = false;
    reply.on(text("too late"));
    await clock.advance(5000);
    expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "lost" });
    expect(thread.writes.length).toBe(1);
  });

  it("stop waits for the write in flight and its row, and no other starts", async () => {
    const { clock, thread, pages, writer, run } = replyBench();
    const reply = writer();
    thread.reactions.push({ kind: "ok", afterMs: 400 });
    reply.on(start);
    reply.on(text("never shown"));
    await clock.advance(100);
    let isStopped = false;
    const stopping = reply.stop().then(() => (isStopped = true));
    await clock.advance(200);
    expect(isStopped).toBe(false);
    await clock.advance(200);
    await stopping;
    expect((await pages.list(run.id))[0]?.message).toBe("m1");
    await clock.advance(60_000);
    expect(thread.writes.length).toBe(1);
    expect(clock.waiting).toBe(0);
  });

  it("stop and the signal end a final that cannot land", async () => {
    for (const how of ["stop", "signal"] as const) {
      const { clock, thread, writer } = replyBench();
      thread.react = () => ({ kind: "unknown", landed: false });
      const reply = writer();
      const abort = new AbortController();
      const settled = reply.settle(stopped, abort.signal);
      await clock.advance(100_000);
      if (how === "stop") await reply.stop();
      else abort.abort();
      expect(await settles(clock, settled)).toEqual({ kind: "lost" });
      expect(clock.waiting).toBe(0);
    }
  });

  it("delivers a reply that was found settling without a word from the model", async () => {
    const { clock, thread, writer, run } = replyBench({ pageSize: 500 });
    const whole = paragraphs(6);
    const reply = writer({ document: documentOf(run, [entryOf(run, 1, whole)]) });
    await settles(clock, reply.settle(stopped));
    expect(thread.texts()).toEqual(settledTexts(run, [whole], thread.limits));
  });

  it("takes away what a dead attempt's post made late, where it is not wanted any more", async () => {
    const { clock, thread, pages, writer, run } = replyBench({ mergesKeys: true });
    await pages.put(fenceOf(run, 1), { run: run.id, index: 0, key: "r1-1-0", message: "m1" });
    await thread.post("r1-1-0", { markdown: "Part", buttons: [] }, () => true);
    await pages.put(fenceOf(run, 1), { run: run.id, index: 1, key: "r1-1-1" });
    const second = writer({
      fenceNumber: 2,
      lateWritesMs: 5000,
      document: documentOf(run, [entryOf(run, 1, "Part")]),
    });
    const settled = second.settle(stopped);
    await clock.advance(2000);
    await thread.post("r1-1-1", { markdown: "of more", status: "Writing", buttons: [] }, () => true);
    expect(await settles(clock, settled)).toEqual({ kind: "settled" });
    expect(thread.texts()).toEqual(["Part"]);
    expect((await pages.list(run.id)).map(({ index }) => index)).toEqual([0]);
  });

  it("writes its pages once more when a late write of the attempt before may have replaced them", async () => {
    const { clock, thread, writer, run } = replyBench();
    const first = writer();
    for (const event of roundOf(1, "Part")) first.on(event);
    await clock.advance(2000);
    await first.stop();
    const second = writer({
      fenceNumber: 2,
      lateWritesMs: 5000,
      document: documentOf(run, [entryOf(run, 1, "Part")]),
    });
    const settled = second.settle(stopped);
    await clock.advance(1000);
    expect(thread.texts()).toEqual(["Part"]);
    const message = thread.messages[0];
    if (message !== undefined) message.page = { markdown: "Pa", status: "Writing", buttons: [] };
    await settles(clock, settled);
    expect(thread.visible()).toEqual([{ markdown: "Part", footer: "12 s", buttons: thumbsOf("r1") }]);
  });
});
