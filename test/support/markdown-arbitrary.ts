// Random markdown of the kind that models write, for property tests.
import fc from "fast-check";

const word = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: fc.constantFrom(..."abcdefghij"), minLength: 1, maxLength: 9 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "👩‍👩‍👧",
      "🇫🇷",
      "e\u0301",
      "日本語。",
      "a&b",
      "x<y",
      "2*3",
      "<@U123>",
      "#4",
      "1.",
      "-",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom("a", "😀"), minLength: 20, maxLength: 120 }) },
);
const inline = fc.oneof(
  { weight: 8, arbitrary: word },
  { weight: 1, arbitrary: word.map((text) => `**${text}**`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `\`${a} ${b}\``) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `[${a} ${b}](https://example.org/a_(b))`) },
  { weight: 1, arbitrary: fc.constant("Yes.") },
);
export const prose: fc.Arbitrary<string> = fc
  .array(inline, { minLength: 1, maxLength: 40 })
  .map((words) => words.join(" "));
const codeLine = fc
  .string({ unit: fc.constantFrom(..."ab(){}; \t*`"), maxLength: 60 })
  .filter((line) => !/^\s*`{3}/.test(line));

export const codeBlock: fc.Arbitrary<{
  readonly language: string;
  readonly code: string;
  readonly markdown: string;
}> = fc
  .tuple(fc.constantFrom("", "ts", "python"), fc.array(codeLine, { minLength: 1, maxLength: 25 }))
  .map(([language, lines]) => {
    const code = lines.join("\n");
    return { language, code, markdown: `\`\`\`${language}\n${code}\n\`\`\`` };
  });

/** An item that begins with a marker would be a list in a list. */
const itemText = prose.filter((text) => !/^(?:-|1\.|#)/.test(text));
export const list: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom("-", "1."), itemText), {
    minLength: 1,
    maxLength: 8,
  })
  .map((items) => {
    let depth = -1;
    const lines = items.map(([wanted, marker, text]) => {
      depth = Math.min(wanted, depth + 1);
      return `${"    ".repeat(depth)}${marker} ${text}`;
    });
    return lines.join("\n");
  });
/** Numbers within numbers, counted or each written as the first, with what else stands in an item. */
export const numbered: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("counted", "first"),
    fc.constantFrom(".", ")"),
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 3 }),
        itemText,
        fc.oneof(
          { weight: 6, arbitrary: fc.constant("") },
          { weight: 1, arbitrary: itemText.map((text) => `\n\n${text}`) },
          { weight: 1, arbitrary: codeLine.map((code) => `\n\`\`\`\n${code}\n\`\`\``) },
        ),
      ),
      { minLength: 2, maxLength: 14 },
    ),
  )
  .map(([how, mark, items]) => {
    const counts: number[] = [];
    const indents: number[] = [];
    const texts = items.map(([wanted, text, more]) => {
      const depth = Math.min(wanted, counts.length);
      counts.length = depth + 1;
      counts[depth] = (counts[depth] ?? 0) + 1;
      const marker = `${how === "first" ? 1 : counts[depth]}${mark} `;
      const indent = indents[depth - 1] ?? 0;
      indents[depth] = indent + marker.length;
      const below = more.replaceAll(/\n(?!\n)/g, `\n${" ".repeat(indent + marker.length)}`);
      return `${" ".repeat(indent)}${marker}${text}${below}`;
    });
    return texts.join("\n");
  });
const row = fc.tuple(word, word, word).map((cells) => `| ${cells.join(" | ")} |`);
const table = fc
  .tuple(row, fc.array(row, { minLength: 1, maxLength: 8 }))
  .map(([head, rows]) => [head, "| --- | --- | --- |", ...rows].join("\n"));
const quote = fc
  .array(prose, { minLength: 1, maxLength: 3 })
  .map((lines) => lines.map((line) => `> ${line}`).join("\n"));
const heading = prose.map((text) => `## ${text}`);

const block = fc.oneof(
  { weight: 4, arbitrary: prose },
  codeBlock.map(({ markdown: code }) => code),
  list,
  numbered,
  table,
  quote,
  heading,
);

/** A whole text: every construct in it is ended. */
export const markdown: fc.Arbitrary<string> = fc
  .array(block, { minLength: 1, maxLength: 7 })
  .map((blocks) => blocks.join("\n\n"));

const wideTable = fc
  .tuple(
    fc.constantFrom("", "> ", "- "),
    fc.oneof(
      fc.constantFrom(
        "| a | b |",
        "|a name of a column that is long|and one more that goes on for a while and on and on|",
      ),
      // Longer than a small page.
      fc.tuple(prose, prose).map((names) => `| ${names.join(" | ")} |`),
    ),
    fc.array(fc.tuple(prose, prose), { minLength: 1, maxLength: 4 }),
  )
  .map(([mark, head, rows]) =>
    [head, "|:--|--:|", ...rows.map(([a, b]) => `| ${a} | ${b} |`)]
      .map((line, at) => (mark === "- " ? `${at === 0 ? "- x\n\n  " : "  "}${line}` : mark + line))
      .join("\n"),
  );
/** Words that lead to an address which stands apart, far above or below or right there. */
const references = fc
  .array(fc.tuple(prose, fc.constantFrom("[guide][1]", "[api][]", "[2]", "")), { minLength: 1, maxLength: 5 })
  .chain((parts) => {
    const said = parts.map(([text, reference]) => `${text} ${reference}`);
    const addresses = "[1]: https://a.example/g\n[api]: https://b.example/a\n[2]: https://c.example/p";
    return fc.constantFrom([...said, addresses], [addresses, ...said]);
  })
  .map((blocks) => blocks.join("\n\n"));
const tasks = fc
  .array(fc.tuple(fc.constantFrom("x", " "), itemText), { minLength: 1, maxLength: 5 })
  .map((items) => items.map(([mark, text]) => `- [${mark}] ${text}`).join("\n"));
/** What is easily shown wrong. */
const rough = fc.constantFrom(
  "@everyone <!channel> <@U123> <@&42> <#C1|x> <t:1:R>",
  "<script>alert(1)</script> <br> &lt;b&gt; &amp;amp;",
  "![chart](https://example.org/c.png) ![](javascript:x)",
  "[run](javascript:alert(1)) [a](https://bank.example@evil.example/) [https://a.org](https://b.org)",
  "שלום עולם `code` مرحبا",
  "部署已经完成。请在星期四之前检查**所有**服务。",
  "`` a`b `` ``` x``y ``` and **bold with `code` and [link](https://example.org/x)**",
  "___\n\n#### Deep\n\n###### Deeper",
  "> quote\n> > quote in it\n>\n> - item\n>   ```\n>   code\n>   ```",
  "1. a\n\n   b\n\n   ```ts\n   let a;\n   ```\n2. c",
  "**long bold that goes on and on and has *more* in it, so that a page may end in the middle of it somewhere**",
  "a\u202Eb\u0000c\u200B",
  "&&&&&&&&&&<<<<<<<<<<>>>>>>>>>>".repeat(8),
  "*_~`|#>-".repeat(30),
);
const rather = (usual: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: usual }, rough);

const parts = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: rather(maxLength > 3 ? markdown : block) },
        wideTable,
        tasks,
        references,
      ),
      {
        minLength: 1,
        maxLength,
      },
    )
    .map((all) => all.join("\n\n"));

/** A whole answer of any length, from a line to many pages, with everything that models write. */
export const answer: fc.Arbitrary<string> = parts(9);
/** The same, of a few paragraphs at most. */
export const shortAnswer: fc.Arbitrary<string> = parts(3);
