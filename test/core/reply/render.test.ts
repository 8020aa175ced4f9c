import { describe, expect, it } from "vitest";
import type { EndReason } from "../../../src/core/events.ts";
import type { Outcome } from "../../../src/core/run.ts";
import { documentOf, reduce } from "../../../src/core/reply/document.ts";
import { END_REASONS } from "../../../src/core/end-reason.ts";
import { explanationOf } from "../../../src/core/reply/ending.ts";
import { plainOf } from "../../../src/core/reply/plain.ts";
import { isSamePage, reconcile } from "../../../src/core/reply/reconcile.ts";
import { render } from "../../../src/core/reply/render.ts";
import { DEFAULT_VIEW } from "../../../src/core/reply/view.ts";
import { entryOf, runNamed, stopped, thumbsOf } from "../../support/reply-bench.ts";

const run = runNamed("r1");
const limits = { pageSize: 100, measure: (text: string) => text.length };
const REASONS: readonly EndReason[] = [
  "stop",
  "max_turns",
  "max_tokens",
  "stuck",
  "waiting",
  "no_speech",
  "cancelled",
  "timeout",
  "error",
];
const outcomeOf = (reason: EndReason): Outcome => ({ reason, endedAt: run.startedAt + 3000 });

describe("the pages of a reply", () => {
  it("carry status and buttons on the last page alone", () => {
    const started = reduce(documentOf(run, []), { kind: "round", round: 1, state: "start" });
    const document = reduce(started, { kind: "text", text: "word ".repeat(50) });
    const pages = render(document, limits);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.slice(0, -1).every((page) => page.status === undefined && page.buttons.length === 0)).toBe(
      true,
    );
    expect(pages.at(-1)).toMatchObject({ status: "Writing", buttons: [{ action: "stop", value: "r1" }] });
    expect(render(document, limits)).toEqual(pages);
  });

  it("are healed while they grow and within the limit with the marks that were added", () => {
    const started = reduce(documentOf(run, []), { kind: "round", round: 1, state: "start" });
    for (let length = 80; length <= 100; length++) {
      const text = `**bold ${"w ".repeat(60)}`.slice(0, length);
      const [page] = render(reduce(started, { kind: "text", text }), limits);
      expect(page?.markdown).toMatch(/^\*\*bold .*w\*\*$/);
      expect(page?.markdown.length).toBeLessThanOrEqual(100);
    }
  });

  it("do not let an open fence of one round swallow the next", () => {
    const document = documentOf(run, [entryOf(run, 1, "```\ncode"), entryOf(run, 2, "Prose.")], stopped);
    expect(render(document, limits)[0]?.markdown).toBe("```\ncode\n```\n\nProse.");
  });

  it("hold no sign that steers what shows them, while they are written and in the end", () => {
    const text = "\u001b[31mFAIL\u001b[0m one\r\n\r\n\u202E`moc.knab\u0007`";
    const started = reduce(documentOf(run, []), { kind: "round", round: 1, state: "start" });
    for (let length = 1; length <= text.length; length++) {
      const grown = reduce(started, { kind: "text", text: text.slice(0, length) });
      expect("FAIL one\n\n`moc.knab`").toContain(render(grown, limits)[0]?.markdown.replace(/`$/, ""));
    }
    const [page] = render(documentOf(run, [entryOf(run, 1, text)], stopped), limits);
    expect(page?.markdown).toBe("FAIL one\n\n`moc.knab`");
  });

  it("leave a finished answer as it was written, and close what a stop cut off", () => {
    const entries = [entryOf(run, 1, "an unusual **answer")];
    expect(render(documentOf(run, entries, stopped), limits)[0]?.markdown).toBe("an unusual **answer");
    const [page] = render(documentOf(run, entries, outcomeOf("cancelled")), limits);
    expect(page).toMatchObject({
      markdown: "an unusual **answer**",
      footer: "Stopped. Reply to go on, or retry. · 3 s",
    });
  });

  it("say why a run ended and what to do, below the text or in its place, and are never blank", () => {
    for (const reason of REASONS) {
      const { why, next, canRetry } = explanationOf({ run: run.id }, { reason });
      expect(why === undefined).toBe(reason === "stop");
      expect(next === undefined).toBe(reason === "stop");
      const [bare] = render(documentOf(run, [], outcomeOf(reason)), limits);
      expect(bare?.markdown.trim()).not.toBe("");
      const [page] = render(documentOf(run, [entryOf(run, 1, "Text.")], outcomeOf(reason)), limits);
      expect(page?.markdown).toBe("Text.");
      if (why !== undefined) expect(page?.footer).toContain(why);
      expect(page?.buttons.map((button) => button.action)).toEqual(
        canRetry ? ["retry", "details"] : ["good", "bad"],
      );
    }
  });

  it("name the run below an error and offer to retry it", () => {
    const outcome: Outcome = {
      ...outcomeOf("error"),
      error: { code: "model_timeout", message: "secret detail" },
    };
    const [page] = render(documentOf(run, [], outcome), { ...limits, pageSize: 500 });
    expect(page).toEqual({
      markdown: "The model did not answer in time. Please try again. Retry starts it again (run r1).",
      footer: "3 s",
      isTrouble: true,
      buttons: [
        { action: "retry", label: "Retry", value: "r1" },
        { action: "details", label: "Details", value: "r1" },
      ],
    });
  });

  it("warn of an end that nobody wanted, and of no other: not of a stop, nor of what is tried again", () => {
    const warned = (reason: Outcome["reason"], isTriedAgain: boolean): boolean =>
      render({ ...documentOf(run, [], outcomeOf(reason)), isTriedAgain }, limits).at(-1)?.isTrouble === true;
    expect(REASONS.filter((reason) => warned(reason, false))).toEqual(
      REASONS.filter((reason) => reason !== "cancelled" && END_REASONS[reason].canRetry),
    );
    expect(REASONS.filter((reason) => warned(reason, true))).toEqual([]);
  });

  it("say of a reply that is tried again that it is, without a button", () => {
    const failed = documentOf(run, [entryOf(run, 1, "Text.")], outcomeOf("max_tokens"));
    const [page] = render({ ...failed, isTriedAgain: true }, limits, { ...DEFAULT_VIEW, footer: "off" });
    expect(page).toEqual({
      markdown: "Text.",
      footer: expect.stringMatching(/It is tried again below\.$/) as string,
      buttons: [],
    });
  });

  it("leave time and cost out, and do not ask what people think, where a channel does not want them", () => {
    const [page] = render(documentOf(run, [entryOf(run, 1, "Text.")], stopped), limits, {
      ...DEFAULT_VIEW,
      footer: "off",
    });
    expect(page).toEqual({ markdown: "Text.", buttons: thumbsOf("r1") });
    const unasked = { ...DEFAULT_VIEW, feedback: false };
    expect(render(documentOf(run, [entryOf(run, 1, "Text.")], stopped), limits, unasked)[0]?.buttons).toEqual(
      [],
    );
  });

  it("say while they run how many messages were taken in, from events and from what is stored alike", () => {
    const user = { v: 1, kind: "user", author: { id: "U2", name: "Ben" }, parts: [] } as const;
    const stored = [0, 1, 1].map((round, index) => ({
      seq: index + 1,
      epoch: 1,
      run: run.id,
      round,
      body: user,
    }));
    const resumed = documentOf(run, stored);
    const live = reduce(documentOf(run, stored.slice(0, 1)), { kind: "steer", messages: [user, user] });
    for (const document of [resumed, live]) {
      expect(render(document, limits)[0]?.status).toBe("Thinking · 2 new messages taken in");
    }
  });

  it("say that an answer is only an image", () => {
    const body = {
      v: 1,
      kind: "assistant",
      text: "",
      calls: [],
      images: [{ kind: "image", mimeType: "image/png", data: "AA" }],
    } as const;
    const document = documentOf(run, [{ seq: 1, epoch: 1, run: run.id, round: 1, body }], stopped);
    expect(render(document, limits)[0]?.markdown).toMatch(/only an image/);
  });
});

describe("a page as plain text", () => {
  it("R20: keeps the words and has no marks", () => {
    const markdown =
      "# Title\n\nSome **bold** [docs](https://example.org) and `code`.\n\n- a\n- b\n\n| x | y |\n| - | - |\n| 1 | 2 |";
    const page = plainOf(
      { markdown, buttons: [{ action: "retry", label: "Retry", value: "r1" }] },
      { ...limits, pageSize: 500 },
    );
    expect(page).toEqual({
      markdown: "Title\n\nSome bold docs (https://example.org) and code.\n\na\n\nb\n\nx, y\n\n1, 2",
      buttons: [],
    });
  });

  it("stays within the limit when its escapes need more room", () => {
    const page = plainOf({ markdown: `\`\`\`\n${"*_".repeat(45)}\n\`\`\``, buttons: [] }, limits);
    expect(page.markdown.length).toBeLessThanOrEqual(100);
    expect(page.markdown.length).toBeGreaterThan(50);
  });
});

describe("reconciling pages", () => {
  const page = (markdown: string) => ({ markdown, buttons: [] });
  const posted = (index: number, markdown?: string) => ({
    index,
    key: `k${index}`,
    message: `m${index}`,
    ...(markdown === undefined ? {} : { content: page(markdown) }),
  });

  it("writes only what changed or is not known, and what is not known last", () => {
    expect(reconcile([page("a"), page("b"), page("c")], [posted(0, "a"), posted(1), posted(2, "x")])).toEqual(
      [
        { kind: "edit", index: 2, message: "m2", content: page("c") },
        { kind: "edit", index: 1, message: "m1", content: page("b") },
      ],
    );
  });

  it("posts what is missing before pages are written again that another attempt wrote", () => {
    const wanted = ["a", "b", "c"].map(page);
    const operations = reconcile(wanted, [posted(0), posted(1), { index: 2, key: "k2" }]);
    expect(operations.map(({ kind, index }) => [kind, index])).toEqual([
      ["post", 2],
      ["edit", 0],
      ["edit", 1],
    ]);
  });

  it("posts what is missing and removes what is too much, from the end", () => {
    expect(reconcile([page("a"), page("b")], [posted(0, "a")])).toEqual([
      { kind: "post", index: 1, content: page("b") },
    ]);
    expect(reconcile([page("a")], [posted(0, "a"), posted(1), { index: 2, key: "k2" }])).toEqual([
      { kind: "remove", index: 2 },
      { kind: "remove", index: 1, message: "m1" },
    ]);
  });

  it("keeps reading order: pages below a missing one are removed and posted again", () => {
    expect(reconcile([page("a"), page("b")], [{ index: 0, key: "k0" }, posted(1, "b")])).toEqual([
      { kind: "remove", index: 1, message: "m1" },
      { kind: "post", index: 0, content: page("a") },
      { kind: "post", index: 1, content: page("b") },
    ]);
  });

  it("tells pages apart by text, status, footer and buttons", () => {
    const base = {
      markdown: "a",
      status: "s",
      buttons: [{ action: "stop", label: "Stop", value: "r" }],
    } as const;
    expect(isSamePage(base, { ...base })).toBe(true);
    expect(isSamePage(base, { ...base, status: "t" })).toBe(false);
    expect(isSamePage(base, { ...base, footer: "f" })).toBe(false);
    expect(isSamePage(base, { ...base, buttons: [] })).toBe(false);
    expect(isSamePage(undefined, base)).toBe(false);
  });
});
