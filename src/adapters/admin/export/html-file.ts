/** An export as one file of HTML: nothing is loaded, nothing runs, and text of others is text. */

import { createHash } from "node:crypto";
import { blockOf } from "./block.ts";
import { endSentence, isOfAll, type ExportFormat } from "./format.ts";
import { inLine, readable } from "./harmless.ts";

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 0 auto; padding: 1rem; }
h1 { margin: 3rem 0 0.25rem; padding-top: 1rem; border-top: 3px solid; font-size: 1.5rem; line-height: 1.3; }
h2 { margin: 2rem 0 0.25rem; padding-top: 0.5rem; border-top: 1px solid; font-size: 1.125rem; }
h3 { margin: 1.25rem 0 0; font-size: 1rem; }
h1, h2, h3, p { overflow-wrap: anywhere; }
p.small { margin: 0; font-size: 0.8125rem; opacity: 0.75; }
pre { margin: 0.5rem 0; padding: 0.5rem 0.75rem; border-inline-start: 3px solid #7a7a7a; background: rgb(127 127 127 / 10%);
  font: inherit; overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: plaintext; }
.aside { margin-inline-start: 2rem; font-size: 0.875rem; }
.aside pre { font-family: ui-monospace, monospace; font-size: 0.8125rem; }
@media (max-width: 40rem) { .aside { margin-inline-start: 0.75rem; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  h1, h2, h3 { break-after: avoid; }
  pre { background: none; }
}
`;
const ALLOWED = createHash("sha256").update(STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${ALLOWED}'; base-uri 'none'; form-action 'none'`;

/** Put together from strings: a space that somebody's formatter adds to the style would make another hash of it. */
const HEAD = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer"><title>Threads · Bobbin</title><style>${STYLE}</style></head><body>
`;

const TAGS = { thread: "h1", run: "h2", said: "h3", aside: "h3" } as const;

export const htmlFile: ExportFormat = {
  title: "HTML",
  hint: "one file for reading and printing; best for some hundred threads at most",
  extension: "html",
  // It is kept as a file, and never shown as a page of this server.
  contentType: "application/octet-stream",
  begin({ at, space, by, thread, filter }) {
    const what = thread ?? (isOfAll(filter) ? "all threads" : JSON.stringify(filter));
    return `${HEAD}<p>Export of ${isolated(what)} in ${isolated(space)}, made by ${isolated(by)} on ${at}. All times are UTC.</p>\n`;
  },
  item(item) {
    const block = blockOf(item);
    if (block === undefined) return "";
    const { level, title, at, facts, texts } = block;
    const tag = TAGS[level];
    const small = facts.filter((fact) => fact !== "").map((fact) => ` · ${isolated(fact)}`);
    const time = `<time datetime="${at}">${at.slice(0, 19).replace("T", " ")}</time>`;
    const said = texts.map((text) => `<pre dir="auto">${escaped(readable(text))}</pre>`);
    return `<section class="${level}"><${tag}>${isolated(title)}</${tag}>
<p class="small">${time}${small.join("")}</p>
${said.join("\n")}</section>
`;
  },
  end: (counts) => `<h1>End</h1><p>${endSentence(counts)}</p></body></html>\n`,
};

/** One line of it, in its own direction. */
function isolated(text: string): string {
  return `<bdi>${escaped(inLine(text))}</bdi>`;
}

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? "");
}
