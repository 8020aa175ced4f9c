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
