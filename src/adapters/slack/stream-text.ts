/**
 * The certain beginning of an answer as markdown that Slack may read. Slack's own reading of it is not ours: what could ping somebody, be
 * a link to elsewhere than it says or make Slack fetch a page is made plain. What is longer begins with what was shorter. Pure.
 */

/** Nobody sees it, and nothing that has it inside is a command, a name or an address. */
const JOINER = "\u2060";
const FENCE = /^[ \t>]*(?<sign>`{3,}|~{3,})(?<rest>.*)$/;
/** Code is left as it is; of links and images what they are called. */
const CODE_OR_LINK =
  /(`+)(?!`)(?:(?!\1(?!`)|\n[ \t]*\n)[\s\S])*\1(?!`)|!?\[([^\][]*)\]\((?:[^()\n]|\([^()\n]*\))*\)/g;
/**
 * The sign of a command or name, a scheme, the beginning of a host, what ties an address to a label: each is told by the one sign that
 * follows, and so is a sign that is written by its number. In code too, since what we take for code Slack may take for words.
 */
const LIVE = /\](?=[([:])|<(?=[!@#a-z])|@(?=[\p{L}\d_])|:(?=\/)|\bwww\.(?=\w)|&(?=#)/gu;

export function streamText(markdown: string): string {
  /** What the code that is open was opened with. */
  let fence: string | undefined;
  const parts: { readonly isCode: boolean; readonly lines: string[] }[] = [];
  for (const line of markdown.split("\n")) {
    const { sign, rest = "" } = FENCE.exec(line)?.groups ?? {};
    const opens = fence === undefined && sign !== undefined && !(sign.startsWith("`") && rest.includes("`"));
    const isCode = fence !== undefined || opens;
    const part = parts.at(-1);
    if (part?.isCode === isCode) part.lines.push(line);
    else parts.push({ isCode, lines: [line] });
    if (opens) fence = sign;
    else if (fence !== undefined && sign?.startsWith(fence) && rest.trim() === "") fence = undefined;
  }
  const named = parts.map((part) => {
    const text = part.lines.join("\n");
    return part.isCode ? text : text.replace(CODE_OR_LINK, (whole, _, label?: string) => label ?? whole);
  });
  return named.join("\n").replace(LIVE, (sign) => `${sign}${JOINER}`);
}
