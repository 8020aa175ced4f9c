/**
 * The certain beginning of an answer as markdown that Slack may read. Slack's own reading of it is not ours: what could ping somebody, be
 * a link to elsewhere than it says or make Slack fetch a page is made plain. What is longer begins with what was shorter. Pure.
 */

/** Nobody sees it, and nothing that has it inside is a command, a name or an address. */
const JOINER = "\u2060";
const FENCE = /^[ \t>]*(?:`{3,}|~{3,})/;
/** Code is left as it is; of links and images what they are called. */
const CODE_OR_LINK = /(`+)(?!`)(?:(?!\1(?!`))[\s\S])*\1(?!`)|!?\[([^\][]*)\]\((?:[^()\n]|\([^()\n]*\))*\)/g;
/** The sign of a command or name, a scheme, the beginning of a host: each is told by the one sign that follows. */
const LIVE = /<(?=[!@#a-z])|@(?=[\p{L}\d_])|:(?=\/)|\bwww\.(?=\w)/gu;

export function streamText(markdown: string): string {
  let isCode = false;
  const parts: { readonly isCode: boolean; readonly lines: string[] }[] = [];
  for (const line of markdown.split("\n")) {
    const isFence = FENCE.test(line);
    const part = parts.at(-1);
    if (part?.isCode === (isCode || isFence)) part.lines.push(line);
    else parts.push({ isCode: isCode || isFence, lines: [line] });
    if (isFence) isCode = !isCode;
  }
  const named = parts.map((part) => {
    const text = part.lines.join("\n");
    return part.isCode ? text : text.replace(CODE_OR_LINK, (whole, _, label?: string) => label ?? whole);
  });
  return named.join("\n").replace(LIVE, (sign) => `${sign}${JOINER}`);
}
