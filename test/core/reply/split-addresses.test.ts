// Links whose address stands apart from them, where the two are on different pages.
import { expect, test } from "vitest";
import { htmlOf } from "../../../src/adapters/web/format.ts";
import { split } from "../../../src/core/reply/split.ts";
import { threadMs } from "../../support/thread-time.ts";
import { units } from "./split-reading.ts";

const long = "word ".repeat(18).trim();
const defined = `[1]: https://a.example/g_(x)\n[Api]: https://b.example/a\n\n${long}`;

test("R6: a link leads to the address that stands on an earlier page, in whatever it stands", () => {
  const below = [
    `See the [guide][1], ![the api][api] and [API][].`,
    `- an item with the [guide][1]\n- [api]`,
    `> quoted [guide][1]`,
    `| a | b |\n|---|---|\n| [guide][1] | [api] |`,
    `## On the [guide][1]`,
  ];
  for (const text of below) {
    const pages = split(`${defined}\n\n${text}`, units(150));
    expect(pages.length).toBe(2);
    expect(htmlOf(pages[1] ?? "")).toContain('href="https://a.example/g_%28x%29"');
  }
  const [first = "", second = ""] = split(`${defined}\n\n${below[0]}`, units(150));
  expect(first).toBe(defined);
  expect(second).toBe(
    "See the [guide](https://a.example/g_%28x%29), ![the api](https://b.example/a) and [API](https://b.example/a).",
  );
});

test("what is no such link stays as it is: code, an escaped sign, a link with an address of its own, one that leads nowhere", () => {
  const others = "`[1]` ``[a][1] ` `` \\[1] [a](https://c.example) [b][2] [^1] [guide][no] [ 1 2 ]";
  const code = "```\n[1]\n[guide][1]\n```";
  expect(split(`${defined}\n\n${others}\n\n${code}`, units(180))[1]).toBe(`${others}\n\n${code}`);
});

test("a page keeps its bytes while the address of a link on it comes on a later one", () => {
  const text = `See the [guide][1]. ${long}\n\n${defined}\n\n${long}\n\n[guide][1] and more of it`;
  const pages = split(text, units(140));
  expect(pages[0]).toContain("See the [guide][1].");
  expect(pages.at(-1)).toContain("[guide](https://a.example/g_%28x%29)");
  for (let length = 0; length < text.length; length++) {
    const early = split(text.slice(0, length), units(140));
    expect(pages.slice(0, Math.max(0, early.length - 1))).toEqual(early.slice(0, -1));
  }
});

test("of one that is said twice the first counts, as in one text", () => {
  const pages = split(
    `${defined}\n\n${long}\n\n[1]: https://other.example\n\n${long} [guide][1]`,
    units(150),
  );
  expect(pages.at(-1)).toContain("[guide](https://a.example/g_%28x%29)");
});

test("many of them, and links without end, take a time that grows with the text", () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `[${n}]: https://a.example/${n}`).join("\n");
  for (const hostile of ["[1] ", "[a][1] ", "`[", "[a `` ", "![[["])
    expect(threadMs(() => split(`${many}\n\n${hostile.repeat(5_000)}`, units(2_000)))).toBeLessThan(2_000);
});
