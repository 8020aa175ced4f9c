// Markdown as Slack shows it: by table, and for anything that a model may write.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPage, measure, PAGE_SIZE, type FormatOptions } from "../../../src/adapters/slack/format.ts";
import type { RichElement } from "../../../src/adapters/slack/rich-text.ts";
import type { PageContent } from "../../../src/core/ports/surface.ts";
import { faultsInBlocks } from "../../support/slack/block-rules.ts";
import { markdown as anyMarkdown } from "../../support/markdown-arbitrary.ts";

const page = (markdown: string): PageContent => ({ markdown, buttons: [] });

function messageOf(content: PageContent, options: FormatOptions = {}) {
  const message = formatPage(content, options);
  if (message.kind !== "message") throw new Error(`no message but ${message.kind}`);
  return message;
}

function richOf(markdown: string, options: FormatOptions = {}): readonly RichElement[] {
  const [first] = messageOf(page(markdown), options).blocks;
  return first?.type === "rich_text" ? first.elements : [];
}

/** The page without its last line break, as mrkdwn. */
const textOf = (markdown: string): string => messageOf(page(markdown)).text;
const section = (...elements: readonly object[]) => ({ type: "rich_text_section", elements });
const text = (words: string, ...styles: readonly string[]) => ({
  type: "text",
  text: words,
  ...(styles.length === 0 ? {} : { style: Object.fromEntries(styles.map((style) => [style, true])) }),
});

describe("a page of markdown in Slack", () => {
  test.each<[string, string, readonly object[], string]>([
    [
      "marks, also inside words",
      "**bold** and *it* and ~~old~~ and `co*de`, un**real**",
      [
        section(
          text("bold", "bold"),
          text(" and "),
          text("it", "italic"),
          text(" and "),
          text("old", "strike"),
          text(" and "),
          text("co*de", "code"),
          text(", un"),
          text("real", "bold"),
        ),
      ],
      "*bold* and _it_ and ~old~ and `co*de`, un*real*",
    ],
    [
      "a small heading right above two paragraphs",
      "### Title\n\none\ntwo\n\nthree",
      [section(text("Title", "bold"), text("\none\ntwo\n\nthree"))],
      "*Title*\none\ntwo\n\nthree",
    ],
    [
      "R6: a link with parentheses in parentheses",
      "([docs](https://example.org/a_(b)))",
      [section(text("("), { type: "link", url: "https://example.org/a_(b)", text: "docs" }, text(")"))],
      "(<https://example.org/a_(b)|docs>)",
    ],
    [
      "R8: signs are escaped once, in text and in code",
      "it's a & b < c &amp; `a && b`",
      [section(text("it's a & b < c & "), text("a && b", "code"))],
      "it's a &amp; b &lt; c &amp; `a &amp;&amp; b`",
    ],
    [
      "R8: a quote stays one, also over lines and paragraphs",
      "> quoted\nand lazy\n>\n> more\n\nafter",
      [{ type: "rich_text_quote", elements: [text("quoted\nand lazy\n\nmore")] }, section(text("\nafter"))],
      "> quoted\n> and lazy\n> \n> more\n\nafter",
    ],
    [
      "R21: nested lists keep their depth and their numbers",
      "- a\n  - b\n    1. c\n    2. d\n- e",
      [
        { type: "rich_text_list", style: "bullet", indent: 0, elements: [section(text("a"))] },
        { type: "rich_text_list", style: "bullet", indent: 1, elements: [section(text("b"))] },
        {
          type: "rich_text_list",
          style: "ordered",
          indent: 2,
          elements: [section(text("c")), section(text("d"))],
        },
        { type: "rich_text_list", style: "bullet", indent: 0, elements: [section(text("e"))] },
      ],
      "• a\n    • b\n        1. c\n        2. d\n• e",
    ],
    [
      "a numbered list goes on after code",
      "3. a\n   ```\n   x\n   ```\n4. b",
      [
        { type: "rich_text_list", style: "ordered", indent: 0, offset: 2, elements: [section(text("a"))] },
        { type: "rich_text_preformatted", elements: [text("x")] },
        { type: "rich_text_list", style: "ordered", indent: 0, offset: 3, elements: [section(text("b"))] },
      ],
      "3. a\n```\nx\n```\n4. b",
    ],
    [
      "tasks",
      "- [x] done\n- [ ] open",
      [
        {
          type: "rich_text_list",
          style: "bullet",
          indent: 0,
          elements: [section(text("☑ done")), section(text("☐ open"))],
        },
      ],
      "• ☑ done\n• ☐ open",
    ],
    [
      "R23: a package scope in code stays",
      "```sh\nnpm i @acme/pkg <@U123>\n```",
      [{ type: "rich_text_preformatted", elements: [text("npm i @acme/pkg <@U123>")] }],
      "```\nnpm i @acme/pkg &lt;@U123&gt;\n```",
    ],
    [
      "an image is a link, and an address that is not of the web is only shown",
      "![a chart](https://example.org/c.png) [run](javascript:alert(1)) [me](https://bank.example@evil.example/)",
      [
        section(
          { type: "link", url: "https://example.org/c.png", text: "a chart" },
          text(" run (javascript:alert(1)) me (https://bank.example@evil.example/)"),
        ),
      ],
      "<https://example.org/c.png|a chart> run (javascript:alert(1)) me (https://bank.example@evil.example/)",
    ],
    ["raw HTML is text", "a<br>b <b>c</b>", [section(text("a\nb <b>c</b>"))], "a\nb &lt;b&gt;c&lt;/b&gt;"],
  ])("%s", (_, markdown, rich, mrkdwn) => {
    expect(richOf(markdown)).toEqual(rich);
    expect(textOf(markdown)).toBe(mrkdwn);
  });

  test("a large heading is a header of its own, and no text in it is markup", () => {
    const { blocks, text: said } = messageOf(page("Before.\n\n# The <!channel> **plan** :tada:\n\nAfter."));
    expect(blocks).toEqual([
      { type: "rich_text", elements: [section(text("Before."))] },
      { type: "header", text: { type: "plain_text", text: "The <!channel> plan :tada:", emoji: false } },
      { type: "rich_text", elements: [section(text("After."))] },
    ]);
    expect(said).toBe("Before.\n\n*The &lt;!channel&gt; plan :tada:*\nAfter.");
    const many = messageOf(page(Array.from({ length: 60 }, (_, at) => `# ${at}\n\nx`).join("\n\n"))).blocks;
    expect(many.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(many)).toContain("59");
    for (const other of [`# ${"long ".repeat(40)}`, "> # quoted", "# [linked](https://example.org)"])
      expect(messageOf(page(other)).blocks.map(({ type }) => type)).toEqual(["rich_text"]);
  });

  test("R5: the first table that is wide or has links is Slack's own, with no empty cell, and any other is items", () => {
    const table = "| a | b | c |\n| --- | ---: | --- |\n| x | [y](https://example.org) |  |";
    const { blocks } = messageOf(page(`Before.\n\n${table}\n\nBetween.\n\n${table}`));
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "table", "rich_text"]);
    expect(blocks[1]).toEqual({
      type: "table",
      column_settings: ["left", "right", "left"].map((align) => ({ align, is_wrapped: true })),
      rows: [
        ["a", "b", "c"].map((name) => ({ type: "rich_text", elements: [section(text(name, "bold"))] })),
        [
          { type: "raw_text", text: "x" },
          {
            type: "rich_text",
            elements: [section({ type: "link", url: "https://example.org", text: "y" })],
          },
          { type: "raw_text", text: "–" },
        ],
      ],
    });
    expect(faultsInBlocks(blocks, "message")).toEqual([]);
    expect(JSON.stringify(blocks[2])).toContain("rich_text_list");
  });

  test("a label that shows another address than the link has is no label", () => {
    expect(textOf("[https://bank.example](https://evil.example/x)")).toBe(
      "https://bank.example (<https://evil.example/x>)",
    );
    // A name of a thing looks like a host; the address itself is a link however it is written.
    expect(textOf("[ASP.NET Core](https://learn.microsoft.com/x) https://müller.de/a")).toBe(
      "ASP.NET Core (<https://learn.microsoft.com/x>) <https://xn--mller-kva.de/a>",
    );
    expect(textOf("[example.org](https://example.org/a) [https://www.a.org](https://a.org/b)")).toBe(
      "<https://example.org/a|example.org> <https://a.org/b|https://www.a.org>",
    );
  });

  test("R5: a narrow table is aligned, with its empty cells and its pipes, and code keeps its own", () => {
    const table = "| name | n | note |\n| --- | ---: | --- |\n| ab | 1 |  |\n| c\\|d | 200 | 日本 |";
    const [first, second] = richOf(`${table}\n\n\`a | b\``);
    expect(first).toEqual({
      type: "rich_text_preformatted",
      elements: [text("name |   n | note\n-----+-----+-----\nab   |   1 |\nc|d  | 200 | 日本")],
    });
    expect(second).toEqual(section(text("\n"), text("a | b", "code")));
  });

  test("R5: a wide table, or one with links, is one item a row that names its cells", () => {
    const wide = `| city | about |\n| --- | --- |\n| **Bonn** | ${"long ".repeat(20)}|\n| Ulm | |`;
    const first = "| a | b |\n| --- | --- |\n| [x](https://example.org) | y |\n\nBetween.\n\n";
    const second = (table: string): string =>
      textOf(first + table)
        .split("Between.\n")[1]
        ?.trim() ?? "";
    expect(second(wide)).toBe(`• *Bonn*\n  about: ${"long ".repeat(20).trim()}\n• *Ulm*`);
    const linked = "| a | b |\n| --- | --- |\n| x | [y](https://example.org) |";
    expect(second(linked)).toBe("• *x*\n  b: <https://example.org|y>");
  });

  test("R5: as text Slack's own table is a line for each row, so that a page with it is as large as it was measured", () => {
    expect(textOf("| a | b |\n| --- | --- |\n| x<br>z | [y](https://example.org) |\n| w |  |")).toBe(
      "*a* · *b*\nx z · <https://example.org|y>\nw · –",
    );
    const row = `| ${Array.from({ length: 6 }, () => "abcdef").join(" | ")} |`;
    const head = `| ${Array.from({ length: 6 }, (_, at) => `a long name of one ${at}`).join(" | ")} |`;
    const table = [head, `|${"---|".repeat(6)}`, ...Array.from({ length: 40 }, () => row)].join("\n");
    expect(measure(table)).toBeLessThan(PAGE_SIZE);
    expect(messageOf(page(table)).blocks.map(({ type }) => type)).toEqual(["table"]);
  });

  test("R9: nobody is mentioned by what a model writes, but those on the allow-list", () => {
    const hostile =
      "<!channel> <!here|x> <@U123> <!subteam^S1> <#C1|c> @everyone @here <https://evil.example|<@U123>>";
    const plain = messageOf(page(hostile));
    expect(plain.text).not.toMatch(/<[!@#]/);
    expect(JSON.stringify(plain.blocks)).not.toMatch(/"(?:user|broadcast|usergroup|channel)"/);
    const options = { mayMention: (user: string) => user === "U123" };
    expect(richOf("hi <@U123|bo> and <@U999>, not `<@U123>`", options)).toEqual([
      section(
        text("hi "),
        { type: "user", user_id: "U123" },
        text(" and <@U999>, not "),
        text("<@U123>", "code"),
      ),
    ]);
    expect(messageOf(page("hi <@U123>"), options).text).toBe("hi <@U123>");
  });

  test("status, footer and buttons are inert blocks of their own, and the text is never blank", () => {
    const running = messageOf(
      {
        markdown: "",
        status: "Using <!here>",
        buttons: [{ action: "stop", label: "Stop", value: "run1" }],
      },
      { key: "key-1" },
    );
    expect(running.text).toBe("Using &lt;!here&gt;…");
    expect(running.blocks).toEqual([
      {
        type: "context",
        block_id: "key-1",
        elements: [{ type: "plain_text", text: "Using <!here>…", emoji: false }],
      },
      {
        type: "actions",
        elements: [
          {
            type: "button",
            text: { type: "plain_text", text: "Stop", emoji: false },
            action_id: "bobbin_stop",
            value: "run1",
          },
        ],
      },
    ]);
    const settled = messageOf({ markdown: "done", footer: "12 s", buttons: [] });
    expect(settled.text).toBe("done");
    expect(settled.plain).toBe("done\n\n12 s");
    expect(messageOf(page("[only]: https://example.org")).text).toContain("[only]");
  });

  test.each([" \n", "\u200B", "", "&nbsp;"])("R18: nothing blank becomes a message (%j)", (markdown) => {
    expect(formatPage(page(markdown))).toEqual({ kind: "blank" });
  });

  test("R20: what would be more than Slack takes is known before it is sent", () => {
    expect(formatPage(page("&".repeat(1_000)))).toEqual({ kind: "too_long" });
    expect(formatPage(page("word ".repeat(PAGE_SIZE / 5)))).toMatchObject({ kind: "message" });
  });

  test("text that is nested beyond reason is shown as it is", () => {
    for (const deep of [">".repeat(3_000), "- ".repeat(1_500), "**_".repeat(900), "[".repeat(3_000)]) {
      expect(formatPage(page(`${deep}x`)).kind).toMatch(/message|too_long/);
    }
  });

  test("plain paragraphs, which are not parsed, look as if they were", () => {
    const unit = fc.constantFrom(
      ..."aZé日1 .,;:?!()'\"-%*#`\n",
      "\n\n",
      "www.",
      "http://",
      "1. ",
      "- ",
      "  ",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (words) => {
        // A definition shows nothing, and makes a text that is parsed.
        expect(richOf(`a${words}z`)).toEqual(richOf(`a${words}z\n\n[def]: /somewhere`));
      }),
      { numRuns: 2_000 },
    );
  });

  test("anything that fits is shown within Slack's limits, with no control sequence and never empty", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyMarkdown,
          fc.string({
            unit: fc.constantFrom(..."<@!#U1CH>|&`*_~[]()\n> -1.:/ab"),
            minLength: 1,
            maxLength: 200,
          }),
        ),
        (markdown) => {
          const message = formatPage(page(markdown));
          if (measure(markdown) <= PAGE_SIZE / 2 && message.kind !== "blank")
            expect(message.kind).toBe("message");
          if (message.kind !== "message") return;
          for (const said of [message.text, message.plain]) {
            expect(said.trim()).not.toBe("");
            expect(said.length).toBeLessThanOrEqual(4_000);
            // What stands in angle brackets is a link, and nothing else does.
            const rest = said.replaceAll(/<(?:https?:\/\/|mailto:)[^<>|]+(?:\|[^<>|]+)?>/g, "");
            expect(rest).not.toMatch(/</);
            expect(rest).not.toMatch(/&(?!(?:amp|lt|gt);)/);
          }
          expect(message.blocks.length).toBeGreaterThan(0);
          expect(JSON.stringify(message.blocks)).not.toMatch(
            /"text":""|"elements":\[\]|"type":"(?:user|broadcast)"/,
          );
        },
      ),
      { numRuns: 400 },
    );
  });
});
