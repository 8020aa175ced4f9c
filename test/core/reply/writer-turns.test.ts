// When a reply is written where others write as well.
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import type { Reaction } from "../../support/fake-surface.ts";
import { replyBench, settles, stopped } from "../../support/reply-bench.ts";

const start: RunEvent = { kind: "round", round: 1, state: "start" };
const text = (said: string): RunEvent => ({ kind: "text", text: said });

describe("a reply among others", () => {
  it("lets the first words wait for their turn where many replies grow, or where the platform has trouble", async () => {
    const crowded = replyBench({ editEveryMs: 1000 });
    crowded.thread.reactions.push({ kind: "ok" }, { kind: "later", waitMs: 12_000, isTurn: true });
    const troubled = replyBench({ editEveryMs: 1000 });
    troubled.thread.react = () => ({ kind: "unknown", landed: false });
    for (const { clock, writer } of [crowded, troubled]) {
      const reply = writer();
      reply.on(start);
      await clock.advance(0);
      reply.on(text("first words"));
      await clock.advance(900);
    }
    expect(crowded.thread.texts()).toEqual([""]);
    await crowded.clock.advance(12_000);
    expect(crowded.thread.texts()).toEqual(["first words"]);
    expect(troubled.thread.writes.length).toBe(1);
  });

  it("asks for its turn as a new reply, then as progress, and as a final at last", async () => {
    const { clock, thread, writer } = replyBench({ editEveryMs: 1000, pageSize: 400 });
    const reply = writer();
    reply.on(start);
    await clock.advance(0);
    reply.on(text("word ".repeat(100)));
    await clock.advance(9_000);
    await settles(clock, reply.settle(stopped));
    const asked = thread.writes.map(({ kind, urgency }) => `${kind} ${urgency}`);
    expect(asked).toEqual(["post reply", "edit progress", "post progress", "edit final"]);
  });

  it("a final does not wait for the turn that progress was told to wait for, and for the platform it does", async () => {
    for (const isTurn of [true, undefined]) {
      const { clock, thread, writer } = replyBench({ editEveryMs: 1000 });
      const waits: Reaction = { kind: "later", waitMs: 30_000, ...(isTurn && { isTurn }) };
      thread.reactions.push({ kind: "ok" }, waits);
      const reply = writer();
      reply.on(start);
      await clock.advance(0);
      reply.on(text("all of it"));
      await clock.advance(5_000);
      const settled = reply.settle(stopped);
      await clock.advance(1_000);
      expect(thread.texts()).toEqual([isTurn ? "all of it" : ""]);
      await clock.advance(30_000);
      expect(await settled).toEqual({ kind: "settled" });
      expect(thread.texts()).toEqual(["all of it"]);
    }
  });

  it("gives up its place in the line when it has nothing more to write: at its end, and when another goes on", async () => {
    for (const how of ["settle", "stop"] as const) {
      const { clock, thread, writer } = replyBench({ editEveryMs: 1000 });
      thread.reactions.push({ kind: "ok" }, { kind: "later", waitMs: 30_000, isTurn: true });
      const reply = writer();
      reply.on(start);
      await clock.advance(0);
      reply.on(text("words"));
      await clock.advance(5_000);
      expect(thread.left).toBe(0);
      await (how === "stop" ? reply.stop() : settles(clock, reply.settle(stopped)));
      expect(thread.left).toBe(1);
      expect(clock.waiting).toBe(0);
    }
  });

  it("shows a page that is nearly full in larger steps than a short one", async () => {
    const stepsOf = async (words: number): Promise<number> => {
      const { clock, thread, writer } = replyBench({ editEveryMs: 1000, pageSize: 2000 });
      const reply = writer();
      reply.on(start);
      reply.on(text("word ".repeat(words)));
      await clock.advance(2_000);
      const before = thread.writes.length;
      for (let piece = 0; piece < 100; piece++) {
        reply.on(text("a"));
        await clock.advance(100);
      }
      return thread.writes.length - before;
    };
    expect([await stepsOf(20), await stepsOf(360)]).toEqual([11, 6]);
  });
});
