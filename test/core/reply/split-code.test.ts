// Code that a page ends in: closed, opened again, and nothing but code in it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { split } from "../../../src/core/reply/split.ts";
import { codeBlock } from "../../support/markdown-arbitrary.ts";
import { codeOf, units } from "./split-reading.ts";

test("R1: closes a code block at the end of a page and opens it again with its language", () => {
  const code = Array.from({ length: 100 }, (_, line) => `const value${line} = ${line};`).join("\n");
  const pages = split(`Here:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone.`, units(500));
  expect(pages.length).toBeGreaterThan(3);
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(500);
  const blocks = pages.flatMap(codeOf);
  expect(new Set(blocks.map((block) => block.language))).toEqual(new Set(["ts"]));
  expect(blocks.map((block) => block.code).join("\n")).toBe(code);
});

test("R4: one line of code that is longer than a page is cut on whole characters", () => {
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

test("a line of code that is cut in a list or a quote stays code there", () => {
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

test("gives the same code when the parts of a block are put together, and nothing but code in it", () => {
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
