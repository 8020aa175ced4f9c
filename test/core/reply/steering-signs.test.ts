// What nobody sees in an answer, and what would steer whatever shows it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownTree } from "../../../src/core/reply/markdown-tree.ts";
import { withinItself, withoutSteering } from "../../../src/core/reply/steering-signs.ts";
import { threadMs } from "../../support/thread-time.ts";

test.each([
  ["colours", "\u001b[1;31mFAIL\u001b[0m and \u009b32mok", "FAIL and ok"],
  ["movements", "\u001b[2J\u001b[?25l10 %\u001b[1A\u001b[K", "10 %"],
  ["a set of signs", "\u001b(Bdone", "done"],
  ["a title", "\u001b]0;bank.com\u0007done", "done"],
  ["a link of a terminal", "\u001b]8;;https://evil.example\u001b\\bank\u001b]8;;\u001b\\", "bank"],
  ["what turns letters around", "\u202Emoc.knab\u202C and \u202Da", "moc.knab and a"],
  ["other signs of control", "a\u0007b\bc\u007fd\u0085e\u001b", "abcde"],
])("%s are left out", (_, text, left) => {
  expect(withoutSteering(text)).toBe(left);
});

test("lines, tabs and what right-to-left languages are written with stay", () => {
  expect(withoutSteering("a\tb\r\nc\rd\n")).toBe("a\tb\nc\nd\n");
  const persian = "\u2067سلام\u2069 \u200fمی\u200cخواهم\u200e (C++)";
  expect(withoutSteering(persian)).toBe(persian);
});

test("what words set apart ends in them, line by line, and they end nothing that was not begun in them", () => {
  const whole = "\u2067سلام\u2069 \u200fمی\u200cخواهم\u200e \u2066(\u2068C\u2069++)\u2069";
  expect(withinItself(whole)).toBe(whole);
  expect(withinItself("a\u2069b\u202e\u2067c\u2068d\ne\u2069")).toBe("ab\u2067c\u2068d\u2069\u2069\ne");
  const pieces = fc.constantFrom(..."a \u2066 \u2067 \u2068 \u2069 \u202e \n \u2029".split(" "));
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const within = withinItself(parts.join(""));
      expect(withinItself(within)).toBe(within);
      for (const line of within.split(/[\n\u2029]/)) {
        const depths = [...line].map((sign) =>
          sign === "\u2069" ? -1 : /[\u2066-\u2068]/.test(sign) ? 1 : 0,
        );
        let depth = 0;
        for (const step of depths) expect((depth += step)).toBeGreaterThanOrEqual(0);
        expect(depth).toBe(0);
      }
    }),
  );
});

test("of an answer that grows what is left only grows, and doing it twice is doing it once", () => {
  const pieces = fc.constantFrom(
    ..."\u001b [ ] 31 m ; 8 ( B \u0007 \\ \u009b \r \n \u202e a 中 ? ~ \u001b[0m \u001b]0;x".split(" "),
    " ",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const text = parts.join("");
      let before = "";
      for (let length = 0; length <= text.length; length++) {
        const left = withoutSteering(text.slice(0, length));
        expect(left.startsWith(before)).toBe(true);
        expect(left).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e]/u);
        expect(withoutSteering(left)).toBe(left);
        before = left;
      }
    }),
  );
});

test("a sign that markdown writes by its number is none either, but in code, where the number is shown", () => {
  const tree = markdownTree("[&#x202E;moc.knab](https://evil.example) ![&#8238;b](a.png) `&#x202E;`");
  expect(JSON.stringify(tree?.root)).not.toMatch(/[\u202a-\u202e]/);
  expect(JSON.stringify(tree?.root)).toContain("&#x202E;");
});

test("leaving them out is quick, also of a text made to be slow", () => {
  for (const hostile of ["\u001b]a", "\u001b[", "\u001b[0", "\u001b ", "\u009b0;"]) {
    expect(threadMs(() => withoutSteering(hostile.repeat(60_000)))).toBeLessThan(2_000);
  }
});
