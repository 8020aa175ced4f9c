// What people may be sent of an answer, whatever a model writes and wherever it is when they look: on each surface, within all limits,
// whole, and the same in the end as if nobody had looked. RUNS, SEED and SMALL make it longer and other than it is by itself.
import fc from "fast-check";
import type { Nodes } from "mdast";
import { expect, test } from "vitest";
import * as discord from "../../src/adapters/discord/format.ts";
import { discordMarkdown } from "../../src/adapters/discord/markdown.ts";
import * as slack from "../../src/adapters/slack/format.ts";
import { mrkdwnOf } from "../../src/adapters/slack/mrkdwn.ts";
import { richMarkdown } from "../../src/adapters/slack/rich-markdown.ts";
import { htmlOf } from "../../src/adapters/web/format.ts";
import type { PageContent } from "../../src/core/ports/surface.ts";
import { documentOf, reduce, type ReplyDocument } from "../../src/core/reply/document.ts";
import { scanLines } from "../../src/core/reply/lines.ts";
import { markdownTree } from "../../src/core/reply/markdown-tree.ts";
import { PageFallback } from "../../src/core/reply/page-fallback.ts";
import { render } from "../../src/core/reply/render.ts";
import type { PageSize } from "../../src/core/reply/split.ts";
import { answer, shortAnswer } from "../support/markdown-arbitrary.ts";
import { entryOf, runNamed, stopped } from "../support/reply-bench.ts";
import { faultsInBlocks } from "../support/slack/block-rules.ts";

const runs = Number(process.env["RUNS"] ?? 40);
const seed = Number(process.env["SEED"] ?? 7);
/** Short answers on small pages are cut as often as long ones on large pages, in a fifth of the time. */
const isSmall = process.env["SMALL"] !== undefined;
const answers = isSmall ? shortAnswer : answer;
const sized = (pageSize: number): number => (isSmall ? 300 : pageSize);
const run = runNamed("r1");

interface Place {
  readonly name: string;
  readonly limits: PageSize;
  /** Whether the platform takes it; fails where it would be punished for what it takes. */
  takes(page: PageContent): boolean;
  /** What people read of it. */
  visible(markdown: string): string;
  /** The same with the addresses that it leads to. */
  sent(markdown: string): string;
}

const places: readonly Place[] = [
  {
    name: "Slack",
    limits: { pageSize: sized(slack.PAGE_SIZE), measure: slack.measure },
    takes(page) {
      const message = slack.formatPage(page, { key: "key" });
      if (message.kind === "too_long") return false;
      if (message.kind !== "message") throw new Error("a blank page");
      expect(faultsInBlocks(message.blocks, "message")).toEqual([]);
      for (const said of [message.text, message.plain]) {
        expect(said.length).toBeLessThanOrEqual(4_000);
        expect(said.isWellFormed()).toBe(true);
        // Nothing but links stands in angle brackets: no mention, no control sequence.
        expect(said.replaceAll(/<(?:https?:|mailto:)[^<>]*>/g, "")).not.toMatch(/</);
      }
      return true;
    },
    visible: (markdown) =>
      mrkdwnOf(richMarkdown(markdown, () => false))
        .replaceAll(/<([^<>|]*)\|([^<>]*)>/g, "$2")
        .replaceAll(/&(?:amp|lt|gt);/g, "&"),
    sent: (markdown) => mrkdwnOf(richMarkdown(markdown, () => false)),
  },
  {
    name: "Discord",
    limits: { pageSize: sized(discord.PAGE_SIZE), measure: discord.measure },
    takes(page) {
      const message = discord.formatPage(page, "mark");
      if (message.kind === "too_long") return false;
      if (message.kind !== "message") throw new Error("a blank page");
      const { content } = message;
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content.isWellFormed()).toBe(true);
      expect((content.match(/```/g) ?? []).length % 2).toBe(0);
      const prose = content.replaceAll(/```[\s\S]*?```|``[^\n]*?``|`[^`\n]*`/g, "");
      expect(prose).not.toMatch(/(?<!\\)<[@#!/:a]/);
      return true;
    },
    visible: (markdown) => discordMarkdown(markdown).replaceAll(/\]\(https?:[^\s)]*\)/g, "]"),
    sent: discordMarkdown,
  },
  {
    name: "the web chat",
    limits: { pageSize: sized(4_000), measure: (text) => text.length },
    takes(page) {
      const html = htmlOf(page.markdown);
      expect(page.markdown.length).toBeLessThanOrEqual(4_000);
      expect(html).not.toMatch(/<(?:script|img|iframe|style)|javascript:/i);
      return true;
    },
    visible: (markdown) =>
      htmlOf(markdown)
        .replaceAll(/<div class="code-bar">.*?<\/div>/g, "")
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll(/&[#\w]+;/g, ""),
    sent: htmlOf,
  },
];

const started = reduce(documentOf(run, []), { kind: "round", round: 1, state: "start" });
const growing = (text: string): ReplyDocument => reduce(started, { kind: "text", text });
const settled = (text: string): ReplyDocument => documentOf(run, [entryOf(run, 1, text)], stopped);

/** The pages as they would be sent: smaller ones where the platform finds them too long. */
function sent(document: ReplyDocument, place: Place): readonly PageContent[] {
  const fallback = new PageFallback(place.limits, run.id);
  for (;;) {
    const pages = render(document, fallback.limits);
    if (pages.every((page) => place.takes(page))) return pages;
    expect(fallback.shrink(), "pages that the platform takes").toBe(true);
  }
}

const textsOf = (pages: readonly PageContent[]): string[] => pages.map(({ markdown }) => markdown);
/** The numbers before items of lists, in order. */
const numbers = (text: string): readonly number[] => {
  const visit = (node: Nodes): readonly number[] => {
    const first = node.type === "list" && node.ordered === true ? (node.start ?? 1) : undefined;
    const own = (at: number): readonly number[] => (first === undefined ? [] : [first + at]);
    return "children" in node ? node.children.flatMap((child, at) => [...own(at), ...visit(child)]) : [];
  };
  const tree = markdownTree(text);
  return tree === undefined ? [] : visit(tree.root);
};
/** Without numbers, which have a look of their own. */
const letters = (text: string): string => text.replaceAll(/\P{L}/gu, "");
const has = (text: string, type: Nodes["type"]): boolean => {
  const isIn = (node: Nodes): boolean =>
    node.type === type || ("children" in node && node.children.some((child) => isIn(child)));
  const tree = markdownTree(text);
  return tree === undefined || isIn(tree.root);
};
/** A sign that only tables are made of stands in the text. */
const isBar = (text: string): boolean => {
  const isIn = (node: Nodes): boolean =>
    node.type === "text" ? node.value.includes("|") : "children" in node && node.children.some(isIn);
  const tree = markdownTree(text);
  return tree === undefined || isIn(tree.root);
};
/** What joins what belongs together. */
const clusters = (text: string): number => text.match(/👩‍👩‍👧|🇫🇷|e\u0301/gu)?.length ?? 0;

test.each(places)(
  "every page of an answer is within every limit of $name, whole, and ends what it began",
  (place) => {
    fc.assert(
      fc.property(answers, (text) => {
        const pages = textsOf(sent(settled(text), place));
        for (const page of pages) expect(scanLines(page).at(-1)?.after.fence).toBeUndefined();
        expect(clusters(pages.join(" "))).toBeGreaterThanOrEqual(clusters(text));
        expect(pages.flatMap(numbers)).toEqual(numbers(text));
        for (const { url } of markdownTree(text)?.definitions.values() ?? [])
          expect(pages.map(place.sent).join("\n")).toContain(url);
        // A row that is larger than a page is no row any more: what people read of it is not the same, but whole.
        if (has(text, "table")) {
          if (!isBar(text)) expect(pages.filter(isBar)).toEqual([]);
          return isWithin(letters(text), letters(pages.join(" ")));
        }
        const [shown, whole] = [pages.map(place.visible).join(" "), place.visible(text.trim())];
        // Code that is cut has its language twice.
        if (has(text, "code") || has(text, "definition")) return isWithin(letters(whole), letters(shown));
        expect(letters(shown)).toBe(letters(whole));
        return undefined;
      }),
      { numRuns: runs, seed, endOnFailure: true },
    );
  },
);

test.each(places)(
  "what $name shows of an answer that grows never changes what it shows in the end",
  (place) => {
    fc.assert(
      fc.property(
        answers,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        (text, cuts) => {
          const final = textsOf(render(settled(text), place.limits));
          for (const cut of cuts) {
            const early = text.slice(0, Math.floor(text.length * cut)).replace(/[\uD800-\uDBFF]$/, "");
            const pages = textsOf(sent(growing(early), place));
            const stood = textsOf(render(growing(early), place.limits)).slice(0, -1);
            expect(final.slice(0, stood.length)).toEqual(stood);
            for (const page of pages) expect(scanLines(page).at(-1)?.after.fence).toBeUndefined();
          }
          const grown = reduce(growing(text), {
            kind: "round",
            round: 1,
            state: "done",
            entries: [entryOf(run, 1, text).body],
          });
          expect(textsOf(render({ ...grown, outcome: stopped }, place.limits))).toEqual(final);
        },
      ),
      { numRuns: runs, seed, endOnFailure: true },
    );
  },
);

/** Every letter of the one in the other, in order. */
function isWithin(part: string, whole: string): void {
  let at = 0;
  for (const letter of part) {
    const found = whole.indexOf(letter, at);
    if (found === -1) throw new Error(`lost at ${at}: ${letter}`);
    at = found + letter.length;
  }
}
