// Tables that a page ends in: rows stand below a header wherever they are.
import { expect, test } from "vitest";
import { split } from "../../../src/core/reply/split.ts";
import { units } from "./split-reading.ts";

test("writes a table's header again on the next page", () => {
  const rows = Array.from({ length: 6 }, (_, row) => `| r${row} | value ${row} |`);
  const pages = split(`| a | b |\n| - | - |\n${rows.join("\n")}`, units(70));
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(page).toMatch(/^\| a \| b \|\n\| - \| - \|\n\| r/);
});

test("R5: the rows below one that is longer than a page are a table with its header again", () => {
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

test("R5: of a header that is longer than a page the names are said one after the other, and its rows stand below one without", () => {
  const names = Array.from({ length: 4 }, (_, n) => `the name of column ${n} that goes on for a while`);
  const rows = "| aa | bb | cc | dd |\n| ee | ff | gg | hh |";
  const text = `Before.\n\n| ${names.join(" | ")} |\n|---|:--:|---|---|\n${rows}`;
  const pages = split(text, units(100));
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(100);
  expect(pages.join(" ").replaceAll(/\s+/g, " ")).toBe(
    `Before. ${names.join(" · ")} | | | | | |-|:-:|-|-| ${rows.replace("\n", " ")}`,
  );
  expect(pages.at(-1)).toMatch(/\n\n\| \| \| \| \|\n\|-\|:-:\|-\|-\|\n\| aa \| bb \| cc \| dd \|\n\| ee/);
  // In a quote and in an item too.
  expect(split(text.replaceAll(/^/gm, "> "), units(100)).at(-1)).toMatch(
    /> \| \| \| \| \|\n> \|-\|:-:\|-\|-\|\n> \| aa \| bb \| cc \| dd \|\n> \| ee/,
  );
  expect(split(`- x\n\n${text.replaceAll(/^(?=.)/gm, "  ")}`, units(100)).at(-1)).toContain("\n| aa | bb |");
});

test("R5: no page ends in the line of dashes below a header that fills it", () => {
  const [name, dashes] = ["word ".repeat(17).trim(), "|:------|------:|"];
  for (const size of [93, 96, 99, 100, 104, 108, 112]) {
    const pages = split(`| ${name} | b |\n${dashes}\n| c | ddddddd |\n| e | f |`, units(size));
    for (const page of pages) expect([size, page.length <= size, page]).toEqual([size, true, page]);
    expect(pages.at(-1)).toMatch(/\|\n\| e \| f \|$/);
    expect(pages.filter((page) => page.includes("|") && !/\|\n\|:-+\|-+:\|\n\| [ce] \|/.test(page))).toEqual(
      [],
    );
  }
});

test("R5: a header that fits on the next page is not cut", () => {
  const header = `| ${"name ".repeat(14)}| b |\n|---|---|\n`;
  const pages = split(`A paragraph above that takes some room.\n\n${header}| c | d |`, units(100));
  expect(pages).toEqual(["A paragraph above that takes some room.", `${header}| c | d |`]);
});

test("a line of cells that is longer than a page and the header of nothing loses no word of it", () => {
  const cells = `| ${"word and more | ".repeat(20)}`;
  for (const below of ["", "\nand then\n\nAfter.", "\n| a | b |\n\nAfter.", "\n- an item", "\n|---|"]) {
    const pages = split(cells + below, units(100));
    const lettersOf = (said: string): string => said.replaceAll(/\P{L}/gu, "");
    expect(lettersOf(pages.join(""))).toBe(lettersOf(cells + below));
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(100);
  }
});

test("a header that grows longer than a page leaves the pages before the last as they are", () => {
  const names = Array.from({ length: 5 }, (_, n) => `- name **${n}** \\| of \`a\\|b\` a column`).join(" | ");
  const text = `Before.\n\n| ${names} |\n|---|---|---|---|---|\n| a | b | c | d | e |\n| f | g | h | i | j |\n\nAfter.`;
  for (const size of [60, 75, 90, 120]) {
    const whole = split(text, units(size));
    for (let length = 0; length < text.length; length++) {
      const early = split(text.slice(0, length), units(size));
      expect([length, whole.slice(0, Math.max(0, early.length - 1))]).toEqual([length, early.slice(0, -1)]);
    }
  }
});
