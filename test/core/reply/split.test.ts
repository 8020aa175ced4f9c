import fc from "fast-check";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, it } from "vitest";
import { split } from "../../../src/core/reply/split.ts";
import { codeBlock, list, markdown, numbered, prose } from "../../support/markdown-arbitrary.ts";

const units = (pageSize: number) => ({ pageSize, measure: (text: string) => text.length });
/** As a platform counts that escapes three characters. */
const escaped = (pageSize: number) => ({
  pageSize,
  measure: (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").length,
});

interface Code {
  readonly language: string;
  readonly code: string;
}

/** The code blocks of a page as an independent parser reads them. */
function codeOf(page: string): Code[] {
  const found: Code[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === "code") found.push({ language: node.lang ?? "", code: node.value });
    if ("children" in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(page));
  return found;
}

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

  it("R1: closes a code block at the end of a page and opens it again with its language", () => {
    const code = Array.from({ length: 100 }, (_, line) => `const value${line} = ${line};`).join("\n");
    const pages = split(`Here:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone.`, units(500));
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(500);
    const blocks = pages.flatMap(codeOf);
    expect(new Set(blocks.map((block) => block.language))).toEqual(new Set(["ts"]));
    expect(blocks.map((block) => block.code).join("\n")).toBe(code);
  });

  it("R4: one line of code that is longer than a page is cut on whole characters", () => {
    const pages = split(`\`\`\`\n${"a".repeat(10_000)}\n\`\`\``, units(2000));
    expect(pages.length).toBeLessThan(8);
    for (const page of pages) expect(page).toMatch(/^```\na+\n```$/);
    expect(
      pages
        .flatMap(codeOf)
        .map((block) => block.code)
        .join(""),
    ).toBe("a".repeat(10_000));
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

  it("does not cut a list item that fits on the next page", () => {
    const item = "one two three four five six seven";
    const pages = split(`- ${item}\n- ${item}\n- ${item}`, units(80));
    expect(pages).toEqual([`- ${item}\n- ${item}`, `- ${item}`]);
  });

  it("moves the rest of a nested list to the margin, where it is a list and not code", () => {
    const pages = split(
      `- aaaaaaaaaaaaaaaaaaaa\n    - bbbbbbbbbbbbbbb\n    - cccccccccccccc\n- ddd`,
      units(55),
    );
    expect(pages).toEqual(["- aaaaaaaaaaaaaaaaaaaa\n    - bbbbbbbbbbbbbbb", "- cccccccccccccc\n- ddd"]);
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

  it("writes a table's header again on the next page", () => {
    const rows = Array.from({ length: 6 }, (_, row) => `| r${row} | value ${row} |`);
    const pages = split(`| a | b |\n| - | - |\n${rows.join("\n")}`, units(70));
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page).toMatch(/^\| a \| b \|\n\| - \| - \|\n\| r/);
  });

  it("R5: the rows below one that is longer than a page are a table with its header again", () => {
    const long = "word ".repeat(30).trim();
    const rows = `| Option | Details |\n|---|---|\n| A | ${long} | a\\|b |\n| B | short |\n| C | short |`;
    const pages = split(rows, units(100));
    expect(pages.slice(1).join("\n\n")).toMatch(
      /^[word \n]+ · a\|b\n\n\| Option \| Details \|\n\|---\|---\|\n\| B \| short \|\n\| C \| short \|$/,
    );
    const quoted = split(rows.replaceAll(/^/gm, "> "), units(100)).join("\n>\n");
    expect(quoted).toContain("> a|b\n>\n> | Option | Details |\n> |---|---|\n> | B | short |\n> | C");
    // In an item too, also where the cut is between its rows.
    const inItem = "- x\n\n  | a | b |\n  |---|---|\n  | c | dddd |\n  | e | ffff |\n  | g | hhhh |";
    expect(split(inItem, units(55)).at(-1)).toBe("| a | b |\n|---|---|\n| e | ffff |\n| g | hhhh |");
    // Where the names would take half of each page, rows stand below none.
    const names = `| ${"name ".repeat(12)}| b |\n|---|---|\n${"| c | dddddddddd |\n".repeat(8)}`;
    expect(split(names, units(100)).at(-1)).toMatch(/^\| \| \|\n\|-\|-\|\n\| c \| d/);
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

  it("the second item of a list stays an item behind a first one that goes on over several pages", () => {
    expect(split("1. aaaa aaaa aaaa bbbb bbbb bbbb cccc\n2. dddd", units(18))).toEqual([
      "1. aaaa aaaa",
      "aaaa bbbb bbbb",
      "bbbb cccc\n\n2. dddd",
    ]);
    expect(split("1. aaaa aaaa\n   bbbb bbbb bbbb\n   cccc\n2. dddd", units(18))).toEqual([
      "1. aaaa aaaa",
      "bbbb bbbb bbbb",
      "cccc\n\n2. dddd",
    ]);
    expect(split("> 1. aaaa aaaa aaaa bbbb bbbb\n> 2. dddd", units(20))).toEqual([
      "> 1. aaaa aaaa",
      "> aaaa bbbb",
      "> bbbb\n>\n> 2. dddd",
    ]);
    expect(split("> 1. aaaa aaaa aaaa\n> 2. dddd", units(20))).toEqual([
      "> 1. aaaa aaaa",
      "> aaaa\n>\n> 2. dddd",
    ]);
  });

  it("keeps the indent of a list and the marks of a quote behind a cut at the very end of a line", () => {
    expect(split("- fff `gggg hhhh`\n    - a\n        - b", units(14))).toEqual([
      "- fff",
      "`gggg hhhh`",
      "  - a",
      "- b",
    ]);
    expect(split("> `gggg`\n> - a b c", units(10))).toEqual(["> `gggg`", "> - a b c"]);
  });

  it("R21: the numbers of a list go on on the next page, also where every item was written as the first", () => {
    const item = "some words of an item that are long enough";
    const pages = split(Array.from({ length: 12 }, () => `1. ${item}`).join("\n"), units(150));
    const numbers = pages
      .map((page) => fromMarkdown(page).children[0])
      .map((node) => (node?.type === "list" ? node.start : 0));
    expect(numbers).toEqual([1, 4, 7, 10]);
    const nested = `1. first\n2. second\n   - ${item}\n   - ${item}\n   - ${item}\n2. third, written as the second`;
    expect(split(nested, units(120)).at(-1)).toContain("3. third");
    const long = `1. one\n1. ${"two and more of it. ".repeat(12).trim()}\n1. three`;
    expect(split(long, units(100)).at(-1)).toContain("3. three");
    // What follows a list is another one.
    expect(
      split(`1. a ${item}\n2. b ${item}\n\nBetween ${item}.\n\n1. c ${item}`, units(120)).join("\n"),
    ).toContain("1. c");
  });

  it("R21: a list in a list that is cut keeps its own numbers, and so do those around it", () => {
    expect(split("1. one\n   1. a\n   2. b\n   3. c\n2. two", units(24))).toEqual([
      "1. one\n   1. a",
      "2. b\n3. c\n2) two",
    ]);
    expect(
      split("1. one\n   1. a\n      1. a1\n      2. a2\n   2. b\n      1. b1\n2. two\n3. three", units(30)),
    ).toEqual(["1. one\n   1. a", "1. a1\n2. a2\n2) b\n   1. b1", "2. two\n3. three"]);
    expect(split("1. one one one one one one\n   1. a\n   1. b\n1. two", units(20))).toEqual([
      "1. one one one one",
      "one one\n\n1. a",
      "2. b\n2) two",
    ]);
    expect(split("> 1. one\n>    1. a\n>    2. b\n>    3. c\n> 2. two", units(28))).toEqual([
      "> 1. one\n>    1. a",
      "> 2. b\n> 3. c\n> 2) two",
    ]);
  });

  it("R21: the list behind a paragraph is another one, and a number that gets longer keeps what is below it", () => {
    expect(split("1. one one one one one\n\nBetween.\n\n1. x\n2. y", units(20))).toEqual([
      "1. one one one one",
      "one\n\nBetween.",
      "1. x\n2. y",
    ]);
    const items = Array.from({ length: 11 }, (_, at) => `1. item ${at}\n   - in it`);
    expect(split(items.join("\n"), units(200)).at(-1)).toBe(
      "10. item 9\n    - in it\n1. item 10\n   - in it",
    );
  });

  it("R21: numbers are what they are in the whole, wherever it is cut", () => {
    const numbersOf = (text: string): number[] => {
      const visit = (node: Nodes): number[] => {
        const first = node.type === "list" && node.ordered === true ? (node.start ?? 1) : undefined;
        return "children" in node
          ? node.children.flatMap((child, at) => [
              ...(first === undefined ? [] : [first + at]),
              ...visit(child),
            ])
          : [];
      };
      return visit(fromMarkdown(text));
    };
    const blocks = fc.array(fc.oneof({ weight: 3, arbitrary: numbered }, list, prose), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(blocks, fc.integer({ min: 40, max: 500 }), (parts, size) => {
        const whole = parts.join("\n\n");
        expect(split(whole, units(size)).flatMap(numbersOf)).toEqual(numbersOf(whole));
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it("a line of code that is cut in a list or a quote stays code there", () => {
    const code = "a".repeat(60);
    const inList = split(`- item\n  \`\`\`\n  ${code}\n    b\n  \`\`\`\n- c`, units(30));
    for (const page of inList.slice(1, -1)) expect(page).toMatch(/^```\na+\n(?: {2}b\n)?```$/);
    expect(
      inList
        .flatMap(codeOf)
        .map((block) => block.code)
        .join(""),
    ).toBe(`${code}\n  b`);
    const inQuote = split(`> \`\`\`\n> ${code}\n> b\n> \`\`\`\n> c`, units(30));
    for (const page of inQuote) expect(page).toMatch(/^> ```\n> [ab]+\n> ```/);
    expect(
      inQuote
        .flatMap(codeOf)
        .map((block) => block.code)
        .join(""),
    ).toBe(`${code}b`);
  });

  it("keeps a quote a quote", () => {
    const pages = split(`> ${"word ".repeat(40).trim()}`, units(60));
    for (const page of pages) expect(page).toMatch(/^> word/);
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

  it("gives the same code when the parts of a block are put together, and nothing but code in it", () => {
    fc.assert(
      fc.property(codeBlock, fc.integer({ min: 80, max: 300 }), (block, size) => {
        const pages = split(`Before.\n\n${block.markdown}\n\nAfter.`, units(size));
        const parts = pages.flatMap(codeOf);
        expect(parts.map((part) => part.code).join("\n")).toBe(block.code);
        for (const part of parts) expect(part.language).toBe(block.language);
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
