// A very long answer: a first part as pages and all of it as a file.
import { describe, expect, it } from "vitest";
import { documentOf, reduce } from "../../../src/core/reply/document.ts";
import { render } from "../../../src/core/reply/render.ts";
import { reconcile } from "../../../src/core/reply/reconcile.ts";
import { entryOf, replyBench, roundOf, runNamed, settles, stopped } from "../../support/reply-bench.ts";

const run = runNamed("r1");
const limits = { pageSize: 100, measure: (text: string) => text.length, mostPages: 3 };
const text = Array.from({ length: 40 }, (_, word) => `word${word} and more.`).join(" ");

describe("a very long answer", () => {
  it("is so many pages and a file with all of it, and a shorter one is pages alone", () => {
    const pages = render(documentOf(run, [entryOf(run, 1, text)], stopped), limits);
    expect(pages).toHaveLength(4);
    expect(pages[2]).toMatchObject({
      footer: expect.stringMatching(/^The whole answer is in the file below\. · /) as string,
    });
    expect(pages[3]).toEqual({
      markdown: "",
      file: { name: "answer-r1.md", title: "The whole answer", text: `${text}\n` },
      buttons: [],
    });
    const short = render(documentOf(run, [entryOf(run, 1, text.slice(0, 250))], stopped), limits);
    expect(short).toHaveLength(3);
    expect(short.some(({ file }) => file !== undefined)).toBe(false);
    const { mostPages: _, ...without } = limits;
    expect(render(documentOf(run, [entryOf(run, 1, text)], stopped), without).length).toBeGreaterThan(4);
  });

  it("takes no page away that was shown while it grew, and says that the rest comes", () => {
    let document = reduce(documentOf(run, []), { kind: "round", round: 1, state: "start" });
    let shown: readonly string[] = [];
    for (const word of text.match(/.{1,20}/g) ?? []) {
      document = reduce(document, { kind: "text", text: word });
      const pages = render(document, limits);
      expect(pages.length).toBeLessThanOrEqual(3);
      expect(pages.slice(0, shown.length).map(({ markdown }) => markdown)).toEqual(shown);
      shown = pages.slice(0, -1).map(({ markdown }) => markdown);
    }
    const running = render(document, limits);
    expect(running.at(-1)?.status).toMatch(/ · The rest comes as a file$/);
    const settled = render(documentOf(run, [entryOf(run, 1, text)], stopped), limits);
    expect(settled.slice(0, 3).map(({ markdown }) => markdown)).toEqual(
      running.map(({ markdown }) => markdown),
    );
  });

  it("has its file written once: nothing is left to do where it stands", () => {
    const wanted = render(documentOf(run, [entryOf(run, 1, text)], stopped), limits);
    const posted = wanted.map((content, index) => ({
      index,
      key: `k${index}`,
      message: `m${index}`,
      content,
    }));
    expect(reconcile(wanted, posted)).toEqual([]);
  });

  it("comes whole as pages where the platform takes no file, and is settled", async () => {
    const bench = replyBench({ pageSize: 100 });
    Object.assign(bench.thread.limits, { mostPages: 2 });
    bench.thread.react = ({ page }) => (page?.file === undefined ? { kind: "ok" } : { kind: "refused" });
    const writer = bench.writer();
    for (const event of roundOf(1, text)) writer.on(event);
    expect(await settles(bench.clock, writer.settle(stopped))).toEqual({ kind: "settled" });
    expect(bench.thread.texts().join(" ")).toBe(text);
    expect(bench.thread.faults).toEqual([]);
  });
});

it("what a button takes up is shown below a very long answer too, and not only in its file", () => {
  const button = { action: "start", label: "Start this goal", value: "p1" } as const;
  const offers = [{ call: "c1", markdown: "**Proposed goal:**\n\n> tidy the wiki", button }];
  const pages = render({ ...documentOf(run, [entryOf(run, 1, text)], stopped), offers }, limits);
  const at = pages.findIndex(({ buttons }) => buttons.some(({ action }) => action === "start"));
  expect(pages[at]?.markdown).toContain("tidy the wiki");
  expect(pages.at(-1)?.file).toBeDefined();
});
