// Markdown of a model as Discord's: what Discord knows is kept, what it does not know is laid out, and text stays text.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatPage, measure, PAGE_SIZE, readCustomId } from "../../../src/adapters/discord/format.ts";
import { discordMarkdown } from "../../../src/adapters/discord/markdown.ts";
import { split } from "../../../src/core/reply/split.ts";
import { markdown as anyMarkdown } from "../../support/markdown-arbitrary.ts";

test.each<[string, string, string]>([
  ["marks", "**bold** *it* _it_ ~~gone~~ `code`", "**bold** *it* *it* ~~gone~~ `code`"],
  ["bold by underscores, which would be underlined", "__bold__", "**bold**"],
  ["headings, and deeper ones as bold", "# a\n\ntext\n\n#### b", "# a\ntext\n\n**b**"],
  ["lists within lists, and tasks", "- a\n  - b\n- [x] c\n\n3. d\n4. e", "- a\n  - b\n- ☑ c\n\n3. d\n4. e"],
  ["a quote", "> a\n> b", "> a\n> b"],
  ["a quote in a quote, which Discord does not know", "> a\n>\n> > b", "> a\n> \n> b"],
  ["a heading and a list close to what they belong to", "a\n\n## b\n\nc\n\n- d", "a\n## b\nc\n- d"],
  ["code with its language", "```ts\nlet a;\n```", "```ts\nlet a;\n```"],
  [
    "links",
    "[a page](https://example.org/x_y) <https://example.org>",
    "[a page](https://example.org/x_y) https://example.org",
  ],
  ["a link whose label is an address", "[https://a.org](https://b.org)", "a.org (https://b.org)"],
  [
    "a link whose label is another host",
    "[bank.**com**/login](https://b.org)",
    "bank.com/login (https://b.org)",
  ],
  [
    "an address with parentheses, once",
    "https://en.wikipedia.org/wiki/Rust_(programming_language)",
    "https://en.wikipedia.org/wiki/Rust_%28programming_language%29",
  ],
  ["an address as somebody wrote it, once", "HTTPS://Example.org:443/a", "https://example.org/a"],
  ["an address with other letters, once", "https://müller.de/a", "https://xn--mller-kva.de/a"],
  ["bold in a small heading, and code as it is", "#### **Use** `**kwargs`", "**Use `**kwargs`**"],
  [
    "code with backticks in it, as text only where Discord has no marks for it",
    "`` a`b `` ``` ``two`` ``` `` `x `` ```` a`b``c ````",
    "``a`b`` ` ``two`` ` `` `x`` a\\`b\\`\\`c",
  ],
  ["code in a quote that begins as a quote does", "> ```\n> > npm i\n> ```", "> ```\n> > npm i\n> ```"],
  [
    "R6: addresses that stand apart, and one that nothing here leads to",
    "[a][1]\n\n[1]: https://a.org\n[2]: https://b.org/x",
    "[a](https://a.org)\n\n\\[2\\]: https://b.org/x",
  ],
  ["R18: what shows nothing", "&nbsp;\n\n&#8203;", ""],
  ["a link that leads nowhere safe", "[x](javascript:alert)", "x (javascript:alert)"],
  ["an image", "![alt](https://example.org/a.png)", "[alt](https://example.org/a.png)"],
  [
    "R6: parentheses in a link and around it",
    "([docs](https://example.org/a_(b)))",
    "([docs](https://example.org/a_%28b%29))",
  ],
  [
    "R8: signs once, and a quote that stays one",
    "it's a & b < c &amp;\n\n> quoted",
    "it's a & b \\< c &\n\n> quoted",
  ],
  ["R9: a mass mention is only text", "@everyone look <@&1>", "@everyone look \\<@&1>"],
  ["R21: depth and numbers of nested lists", "- a\n  - b\n    1. c", "- a\n  - b\n    1. c"],
  ["R23: a package's scope in code", "`npm i @acme/pkg`", "`npm i @acme/pkg`"],
  ["a rule", "a\n\n---\n\nb", "a\n\n────────────\n\nb"],
  ["HTML as text", "a<br>b <b>c</b>", "a\nb \\<b>c\\</b>"],
  ["signs that are text", "2 * 3 | snake_case _x", "2 \\* 3 \\| snake_case \\_x"],
  ["what would begin something at the begin of a line", "a\n\\# b\n1\\. c", "a\n\\# b\n1\\. c"],
  ["mentions as text", "<@123456789012345678> <@&1> <t:1:R>", "\\<@123456789012345678> \\<@&1> \\<t:1:R>"],
])("%s", (_, markdown, shown) => {
  expect(discordMarkdown(markdown)).toBe(shown);
});

test("R5: a narrow table stands in columns, a wide one or one with links in items", () => {
  expect(discordMarkdown("| a | b |\n|---|--:|\n| x | 1 |\n| yy | 22 |")).toBe(
    "```\na  |  b\n---+---\nx  |  1\nyy | 22\n```",
  );
  const wide = `| name | words |\n|---|---|\n| x | ${"word ".repeat(20)}|`;
  expect(discordMarkdown(wide)).toBe(`- **x**\n  words: ${"word ".repeat(20).trim()}`);
  expect(discordMarkdown(`| name | words |\n|---|---|\n| \`2**3\` | ${"word ".repeat(20)}|`)).toBe(
    `- **\`2**3\`**\n  words: ${"word ".repeat(20).trim()}`,
  );
  expect(discordMarkdown("| a | b |\n|---|---|\n| x | [y](https://z.org) |")).toBe(
    "- **x**\n  b: [y](https://z.org)",
  );
});

test("R1: a fence in a fence ends nothing", () => {
  expect(discordMarkdown("````\n```\ninner\n```\n````").match(/```/g)).toHaveLength(2);
});

test("status and footer are small print below the text, and buttons carry what comes back", () => {
  const stop = { action: "stop", label: "Stop", value: "run1" } as const;
  const message = formatPage(
    { markdown: "half", status: "Using clock", footer: "1 s", buttons: [stop] },
    "mark",
  );
  if (message.kind !== "message") throw new Error(message.kind);
  expect(message.content).toBe("half\n-# Using clock…\n-# 1 s");
  const id = message.components[0]?.components[0]?.custom_id ?? "";
  expect(readCustomId(id)).toEqual({ action: "stop", value: "run1", mark: "mark" });
  expect(readCustomId("somebody:else")).toBeUndefined();
  expect(formatPage({ markdown: " ", buttons: [] })).toEqual({ kind: "blank" });
});

test("pitfall 6: whatever a model writes, pages that fit are within Discord's limit and hold no mention", () => {
  fc.assert(
    fc.property(anyMarkdown, (markdown) => {
      for (const text of split(markdown, { pageSize: PAGE_SIZE, measure })) {
        const message = formatPage({ markdown: text, status: "Thinking", buttons: [] });
        if (message.kind === "too_long") continue;
        if (message.kind === "blank") throw new Error("blank");
        expect(message.content.length).toBeLessThanOrEqual(2_000);
        expect(message.content.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\\./g, "")).not.toMatch(/<(?:[@#:]|t:)/);
      }
    }),
    { numRuns: 150 },
  );
});

test("prose of every length is never too long for the page that it was measured for", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("word", "a_b", "*", "|x|", "1.", "#", "<@1>", "\n"), { maxLength: 900 }),
      (words) => {
        for (const text of split(words.join(" "), { pageSize: PAGE_SIZE, measure }))
          expect(formatPage({ markdown: text, status: "Thinking", buttons: [] }).kind).not.toBe("too_long");
      },
    ),
    { numRuns: 100 },
  );
});
