/** An export as Markdown: text of others stands in blocks and spans of code, which nothing in it can end. */

import { blockOf } from "./block.ts";
import { endSentence, isOfAll, type ExportFormat } from "./format.ts";
import { inLine, readable } from "./harmless.ts";

export const markdown: ExportFormat = {
  title: "Markdown",
  hint: "for reading, and for a ticket or a wiki",
  extension: "md",
  contentType: "text/markdown; charset=utf-8",
  begin({ at, space, by, thread, filter }) {
    const what = thread ?? (isOfAll(filter) ? "all threads" : JSON.stringify(filter));
    return `Export of ${span(what)} in ${span(space)}, made by ${span(by)} on ${at}. All times are UTC.\n\n`;
  },
  item(item) {
    const block = blockOf(item);
    if (block === undefined) return "";
    const { level, title, at, facts, texts } = block;
    const mark = { thread: "#", run: "##", said: "###", aside: "####" }[level];
    const small = [at, ...facts].map((fact) => (fact === at ? at : span(fact))).join(" · ");
    return `${mark} ${span(title)}\n\n${small}\n\n${texts.map(fenced).join("")}`;
  },
  end: (counts) => `---\n\n${endSentence(counts)}\n`,
};

/** More ticks around it than are in it. */
function ticksFor(text: string, least: number): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0);
  return "`".repeat(Math.max(least, longest + 1));
}

function span(text: string): string {
  const line = inLine(text);
  const ticks = ticksFor(line, 1);
  return line === "" ? "…" : `${ticks} ${line} ${ticks}`;
}

function fenced(text: string): string {
  const shown = readable(text);
  const fence = ticksFor(shown, 3);
  return `${fence}text\n${shown}\n${fence}\n\n`;
}
