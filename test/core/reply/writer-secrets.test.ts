// Secrets in a reply that is still written: what stands in the thread meanwhile, and for good where the answer breaks off.
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import { createKnownSecrets } from "../../../src/core/mask.ts";
import { createShownMask } from "../../../src/core/mask-shown.ts";
import { DEFAULT_VIEW } from "../../../src/core/reply/view.ts";
import type { Outcome } from "../../../src/core/run.ts";
import { replyBench, roundOf, settles, stopped } from "../../support/reply-bench.ts";

const TOKEN = "k3y-of-9-lives";
const mask = createShownMask(createKnownSecrets([TOKEN]));
const start: RunEvent = { kind: "round", round: 1, state: "start" };
const text = (said: string): RunEvent => ({ kind: "text", text: said });
const broken: Outcome = { ...stopped, reason: "error", error: { code: "model_cut", message: "cut" } };

describe("a reply with secrets in it", () => {
  it.each([
    ["a known one", TOKEN, TOKEN.slice(0, 3)],
    ["one of a known kind", "sk-abcdefghijklmnop1234", "sk-a"],
  ])("S5: shows %s neither while it is written, nor where the answer breaks off", async (_, secret, part) => {
    const { clock, thread, writer } = replyBench({ mask, editEveryMs: 100 });
    const reply = writer({ isNew: true });
    reply.on(start);
    for (const sign of `The key is ${secret} and more`) {
      reply.on(text(sign));
      await clock.advance(200);
    }
    expect(await settles(clock, reply.settle(broken))).toEqual({ kind: "settled" });
    const seen = thread.writes.map(({ page }) => page?.markdown ?? "");
    expect(seen.filter((page) => page.includes(part))).toEqual([]);
    expect(new Set(seen)).toContain("The key is");
    expect(thread.texts()).toEqual([expect.stringMatching(/^The key is (?:sk-)?\*\*\* and more$/)]);
  });

  it("S5: shows no more than a beginning of one that the answer breaks off in", async () => {
    const { clock, thread, writer } = replyBench({ mask });
    const reply = writer();
    for (const event of [start, text(`The key is ${TOKEN.slice(0, -1)}`)]) reply.on(event);
    await clock.advance(2_000);
    expect(thread.texts()).toEqual(["The key is"]);
    await settles(clock, reply.settle(broken));
    // Stars without words behind them are not shown where an answer breaks off.
    expect(thread.texts()).toEqual(["The key is"]);
  });

  it("S5: shows none that a tool says of itself, or offers", async () => {
    const { clock, thread, writer } = replyBench({ mask });
    const reply = writer({ view: { ...DEFAULT_VIEW, verbosity: "full" } });
    reply.on(start);
    const call = { id: "c1", name: "f", arguments: "{}" };
    reply.on({ kind: "tool_call", call });
    reply.on({ kind: "tool_progress", call: "c1", text: `signs in with ${TOKEN}` });
    await clock.advance(3_000);
    expect(thread.visible()[0]?.steps?.[0]?.line).toContain("signs in with ***");
    const offer = {
      markdown: `Use ${TOKEN}?`,
      button: { action: "start", label: "Start", value: "g" },
    } as const;
    reply.on({
      kind: "tool_result",
      result: { call: "c1", name: "f", ok: true, content: "", modelContent: "", offer },
    });
    await settles(clock, reply.settle(stopped));
    expect(thread.texts()).toEqual(["Use ***?"]);
  });
});

describe("the first words of a reply that could be a secret", () => {
  it("stand there as soon as a space follows them, also where nobody had to wait for the first word", async () => {
    const { clock, thread, writer } = replyBench({ mask, editEveryMs: 1_000 });
    const reply = writer({ isNew: true });
    reply.on(start);
    await clock.advance(5_000);
    reply.on(text("Hello"));
    await clock.advance(30);
    const { length: before } = thread.writes;
    reply.on(text(" world"));
    await clock.advance(0);
    expect(thread.texts()).toEqual(["Hello"]);
    // A look at a word that cannot be seen yet costs no write.
    expect(thread.writes.length).toBe(before + 1);
  });

  it("come no later than any first words do, where the page was begun a moment ago", async () => {
    const { clock, thread, writer } = replyBench({ mask, editEveryMs: 1_000 });
    const reply = writer({ isNew: true });
    reply.on(start);
    await clock.advance(10);
    reply.on(text("Hello"));
    await clock.advance(100);
    reply.on(text(" world"));
    await clock.advance(50);
    expect(thread.texts()).toEqual(["Hello"]);
  });

  it("leave what an attempt before has shown until they can be seen", async () => {
    const { clock, thread, writer } = replyBench({ mask });
    const before = writer();
    for (const event of [start, text("as far as here ")]) before.on(event);
    await clock.advance(2_000);
    await before.stop();
    const next = writer({ fenceNumber: 2 });
    for (const event of [start, text("as")]) next.on(event);
    await clock.advance(5_000);
    expect(thread.texts()).toEqual(["as far as here"]);
    next.on(text(" far "));
    await clock.advance(2_000);
    expect(thread.texts()).toEqual(["as far"]);
  });

  it("show the whole of what was said before a tool runs, and of an answer in one word when it is there", async () => {
    const { clock, thread, writer } = replyBench({ mask });
    const reply = writer();
    for (const event of [start, text("Let me look.")]) reply.on(event);
    reply.on({ kind: "tool_input", call: "c1", name: "f", text: "" });
    await clock.advance(2_000);
    expect(thread.texts()).toEqual(["Let me look."]);
    for (const event of roundOf(2, "Yes")) reply.on(event);
    await clock.advance(2_000);
    expect(thread.texts()).toEqual(["Let me look.\n\nYes"]);
    await settles(clock, reply.settle(stopped));
  });
});
