import fc from "fast-check";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, it } from "vitest";
import { split } from "../../../src/core/reply/split.ts";
import { list, markdown, prose } from "../../support/markdown-arbitrary.ts";
import { units } from "./split-reading.ts";

/** As a platform counts that escapes three characters. */
const escaped = (pageSize: number) => ({
  pageSize,
  measure: (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").length,
});

/** The text of all nodes of a kind, and of what is in them. */
function wordsIn(node: Nodes, type: string): string[] {
  const textOf = (inner: Nodes): string =>
    "value" in inner ? inner.value : "children" in inner ? inner.children.map(textOf).join("") : "";
  if (node.type === type) return [textOf(node)];
  return "children" in node ? node.children.flatMap((child) => wordsIn(child, type)) : [];
}

const words = (text: string): string => text.replace(/\s+/g, "");

describe("split", () => {
  it("leaves a text alone that fits", () => {
    expect(split("One.\n\nTwo.", units(2000))).toEqual(["One.\n\nTwo."]);
  });

  it("makes no page of a blank text", () => {
    expect(split("", units(10))).toEqual([]);
    expect(split(" \n\n ", units(10))).toEqual([]);
  });

  it("prefers paragraphs, then lines, then sentences, then words", () => {
    expect(split("aaaa aaaa\n\nbbbb bbbb", units(14))).toEqual(["aaaa aaaa", "bbbb bbbb"]);
    expect(split("aaaa aaaa\nbbbb bbbb", units(14))).toEqual(["aaaa aaaa", "bbbb bbbb"]);
    expect(split("Aaaa a. Bbbb bbb bbb", units(14))).toEqual(["Aaaa a.", "Bbbb bbb bbb"]);
    expect(split("aaaa aaaa bbbb bbbb", units(13))).toEqual(["aaaa aaaa", "bbbb bbbb"]);
  });

  it("R11: keeps a joined character whole when a page ends before it", () => {
    const family = "👩‍👩‍👧";
    const pages = split("x".repeat(1999) + family + "y", units(2000));
    expect(pages.every((page) => page.isWellFormed() && page.length <= 2000)).toBe(true);
    expect(pages.some((page) => page.includes(family))).toBe(true);
    expect(pages.join("")).toBe("x".repeat(1999) + family + "y");
  });

  it("R11: cuts a joined character that is larger than a page, and no half of a pair", () => {
    const pages = split("👩‍👩‍👧".repeat(3), units(5));
    expect(pages.every((page) => page.isWellFormed() && page.length <= 5)).toBe(true);
    expect(pages.join("")).toBe("👩‍👩‍👧".repeat(3));
  });

  it("ends when not even one character fits", () => {
    expect(split("😀😀", units(1)).join("")).toBe("😀😀");
    expect(split("```ts\nab\n```", units(3)).join("")).toContain("a");
  });

  it("R6: cuts no link, code span or mention", () => {
    const link = "([some docs](https://example.org/a_(b)))";
    const pages = split(
      `aaaa aaaa aaaa aaaa ${link} and \`npm i @acme/pkg -D\` for <@U123|some one> now`,
      units(48),
    );
    const text = pages.join("\n");
    for (const whole of [link, "`npm i @acme/pkg -D`", "<@U123|some one>"]) expect(text).toContain(whole);
  });

  it("begins no page with a word that would become a list or a heading there", () => {
    const pages = split("aaaa bbbb cccc - dddd # eeee 1. ffff", units(17));
    for (const page of pages) expect(page).not.toMatch(/^(?:-|#|1\.) /);
  });

  it("R1: emphasis that is cut is closed at the end of a page and opened again on the next", () => {
    const bold = `**${"some words that are bold ".repeat(12).trim()}**`;
    for (const text of [bold, `- ${bold}`, `> ${bold}`, `Before ~~${bold}~~ after.`]) {
      const pages = split(text, units(120));
      expect(pages.length).toBeGreaterThan(2);
      for (const page of pages) {
        expect(page.length).toBeLessThanOrEqual(120);
        const tree = fromMarkdown(page);
        expect(wordsIn(tree, "strong").join(" "), page).toContain("words");
        expect(wordsIn(tree, "text").join("")).not.toContain("**");
      }
      expect(words(pages.join(" ").replace(/[*~>-]/g, ""))).toBe(words(text.replace(/[*~>-]/g, "")));
    }
    // A sign that is only text is left alone: no page has more of them than the text.
    expect(
      split(`2 * 3 * ${"word ".repeat(40).trim()}`, units(100))
        .join(" ")
        .match(/\*/g),
    ).toHaveLength(2);
  });

  it("never makes a page larger than the limit, and loses nothing", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 40, max: 400 }), fc.boolean(), (text, size, hasEscapes) => {
        const limits = hasEscapes ? escaped(size) : units(size);
        const pages = split(text, limits);
        for (const page of pages) {
          expect(limits.measure(page)).toBeLessThanOrEqual(size);
          expect(page.isWellFormed()).toBe(true);
          expect(page.trim()).not.toBe("");
        }
        // What a page adds at its beginning or end are fences, headers of tables and quote marks; lists are counted on and apart.
        const all = words(pages.join(""));
        let at = 0;
        for (const character of words(text).replace(/[`|>\d.)-]/g, "")) {
          at = all.indexOf(character, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("loses no word of a text without fences, tables, quotes and emphasis, and adds none", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 2, max: 300 }), (text, size) => {
        const bare = text.replace(/[`|>*]/g, "");
        const uncounted = (said: string): string => words(said).replace(/[\d.)\\]/g, "");
        expect(uncounted(split(bare, units(size)).join(""))).toBe(uncounted(bare));
      }),
      { numRuns: 300 },
    );
  });

  it("leaves all pages but the last as they are while the text grows", () => {
    fc.assert(
      fc.property(
        markdown,
        fc.integer({ min: 40, max: 300 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (text, size, shares) => {
          const whole = split(text, units(size));
          for (const share of shares) {
            const early = split(
              text
                .slice(0, Math.floor(text.length * share))
                .toWellFormed()
                .replace(/\uFFFD$/, ""),
              units(size),
            );
            expect(whole.slice(0, Math.max(0, early.length - 1))).toEqual(early.slice(0, -1));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keeps every list a list and every link a link", () => {
    const countsOf = (pages: readonly string[]): Record<string, number> => {
      const counts: Record<string, number> = { code: 0, link: 0, inlineCode: 0, listItem: 0, heading: 0 };
      const visit = (node: Nodes): void => {
        const before = counts[node.type];
        if (before !== undefined) counts[node.type] = before + 1;
        if ("children" in node) for (const child of node.children) visit(child);
      };
      for (const page of pages) visit(fromMarkdown(page));
      return counts;
    };
    const blocks = fc.array(fc.oneof(list, prose), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(blocks, fc.integer({ min: 200, max: 500 }), (parts, size) => {
        const whole = parts.join("\n\n");
        expect(countsOf(split(whole, units(size)))).toEqual(countsOf([whole]));
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it("takes a long text in a time that grows with it", () => {
    const text = "A sentence of some words, and then another. ".repeat(5000);
    const pages = split(text, units(2000));
    expect(pages.length).toBeLessThan(130);
  });
});
