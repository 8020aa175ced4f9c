/**
 * What a person wrote, out of Slack's mrkdwn. Tokens (`<@U1>`, `<https://…|label>`) are read first and the three escapes are
 * undone after that, once: so text that only looks like a token never becomes one.
 */

/** As others see the person; undefined while it is not known. */
export type NameOf = (user: string) => string | undefined;

const TOKEN = /<([^<>]*)>/g;
const ESCAPES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Plain text with markdown links; mentions as `@name`, channels as `#name`. */
export function readText(mrkdwn: string, nameOf: NameOf): string {
  let text = "";
  let done = 0;
  for (const match of mrkdwn.matchAll(TOKEN)) {
    text += unescape(mrkdwn.slice(done, match.index)) + readToken(match[1] ?? "", nameOf);
    done = match.index + match[0].length;
  }
  return text + unescape(mrkdwn.slice(done));
}

/** Ids of the people that the text mentions, in order, each once. */
export function mentionsIn(mrkdwn: string): readonly string[] {
  const ids = [...mrkdwn.matchAll(TOKEN)].map(([, token]) => mentioned(token ?? ""));
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** The person whom the text begins by addressing. */
export function addresseeOf(mrkdwn: string): string | undefined {
  const first = /^\s*<([^<>]*)>/.exec(mrkdwn);
  return first === null ? undefined : mentioned(first[1] ?? "");
}

/** Without the mentions of this person that it begins with, and without a comma or colon behind them. */
export function withoutAddress(mrkdwn: string, user: string): string {
  let rest = mrkdwn.trimStart();
  while (addresseeOf(rest) === user) rest = rest.replace(/^<[^<>]*>\s*[,:]?\s*/, "");
  return rest;
}

/** Without any mention of this person, and without a comma or colon behind one. */
export function withoutMentions(mrkdwn: string, user: string): string {
  return mrkdwn.replaceAll(/<([^<>]*)>\s*[,:]?/g, (token, inner: string) =>
    mentioned(inner) === user ? " " : token,
  );
}

function mentioned(token: string): string | undefined {
  return /^@([A-Z0-9]+)(?:\|.*)?$/.exec(token)?.[1];
}

function readToken(token: string, nameOf: NameOf): string {
  const bar = token.indexOf("|");
  const target = bar < 0 ? token : token.slice(0, bar);
  const label = bar < 0 ? "" : unescape(token.slice(bar + 1));
  const id = target.slice(1);
  switch (target[0]) {
    case "@":
      return `@${nameOf(id) ?? (label || id)}`;
    case "#":
      return `#${label || id}`;
    case "!":
      return readSpecial(id, label);
    default: {
      const address = unescape(target);
      const bare = address.replace(/^(?:mailto:|tel:)/, "");
      const isPlain = label === "" || label === address || label === bare || `http://${label}` === address;
      return isPlain ? label || bare : `[${label}](${address})`;
    }
  }
}

/** `<!here>`, `<!subteam^S1|@writers>`, `<!date^1^{date}|1 May>`. */
function readSpecial(name: string, label: string): string {
  if (name.startsWith("date^")) return label;
  if (name.startsWith("subteam^")) return label === "" ? `@${name.slice("subteam^".length)}` : at(label);
  return at(label === "" ? name : label);
}

function at(name: string): string {
  return name.startsWith("@") ? name : `@${name}`;
}

function unescape(text: string): string {
  return text.includes("&") ? text.replaceAll(/&(?:lt|gt|amp);/g, (sign) => ESCAPES[sign] ?? sign) : text;
}
