import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Sentences of the tables in the docs with the titles of the tests that hold them. */
function rowsOf(markdown: string): { sentence: string; titles: string[] }[] {
  const tables = markdown.slice(markdown.indexOf("## Sentence by sentence"));
  return tables
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| sentence"))
    .map((line) => {
      const [, sentence = "", titles = ""] = line.split(" | ").join("|").split("|");
      return {
        sentence: sentence.trim(),
        titles: [...titles.matchAll(/`([^`]+)`/g)].map(([, title = ""]) => title),
      };
    });
}

async function sources(...folders: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const folder of folders) {
    for (const file of await readdir(join(root, folder))) {
      if (file.endsWith(".ts")) texts.push(await readFile(join(root, folder, file), "utf8"));
    }
  }
  return texts.join("\n");
}

test("each sentence of the docs names tests that are there", async () => {
  const rows = rowsOf(await readFile(join(root, "docs/agent-core.md"), "utf8"));
  const code = await sources("test/core/agent", "test/core/context", "test/contract");
  // Titles of the persistence table are put together from the row's reason, its title and the mode.
  const isThere = (title: string): boolean => {
    const [, reason, rest] = /^(\w+), (.*): with persist "run"$/.exec(title) ?? [];
    if (reason === undefined || rest === undefined) return code.includes(title);
    return code.includes(`reason: "${reason}"`) && code.includes(`title: "${rest}"`);
  };
  expect(rows.length).toBeGreaterThan(45);
  expect(rows.filter(({ titles }) => titles.length === 0).map(({ sentence }) => sentence)).toEqual([]);
  expect(rows.flatMap(({ titles }) => titles).filter((title) => !isThere(title))).toEqual([]);
});
