/** The inside of a line in Discord's dialect, as HTML. */

import { escapeHtml } from "../format.ts";

/** In the order in which Discord tries them at each place. */
const RULES: readonly (readonly [RegExp, (groups: readonly string[]) => string])[] = [
  [/\\([\\*_~`|<>[\](){}#+\-.!:@])/y, ([, sign = ""]) => escapeHtml(sign)],
  [
    /(`{1,2})(?!`)([\s\S]*?[^`])\1(?!`)/y,
    // A space belongs to the marks only where it parts them from a sign of the code that is the same.
    ([, , code = ""]) => `<code>${escapeHtml(code.replaceAll(/^ (?= *`)|(?<=` *) $/g, ""))}</code>`,
  ],
  [
    /\[((?:\\.|[^\]\\\n])+)\]\(<?(https?:\/\/[^\s<>)]+)>?\)/y,
    ([, label = "", url = ""]) =>
      /https?:\/\//.test(label)
        ? escapeHtml(`[${label}](${url})`)
        : `<a title="${escapeHtml(url)}">${discordInline(label)}</a>`,
  ],
  [/<(https?:\/\/[^\s<>]+)>/y, ([, url = ""]) => `<a>${escapeHtml(url)}</a>`],
  [/https?:\/\/[^\s<>]*[^\s<>.,:;"')\]!?*_~]/y, ([url = ""]) => `<a>${escapeHtml(url)}</a>`],
  [/<(?:@!?\d+|@&\d+|#\d+|\/[^:>]+:\d+)>/y, ([mention = ""]) => mentionView(mention)],
  [/<t:-?\d+(?::[tTdDfFsR])?>/y, ([time = ""]) => `<span class="d-mention">${escapeHtml(time)}</span>`],
  [/\*\*\*(?=\S)([\s\S]*?\S)\*\*\*/y, ([, text = ""]) => `<strong><em>${discordInline(text)}</em></strong>`],
  [/\*\*(?=\S)((?:\\.|(?!\*\*)[\s\S])+)\*\*/y, ([, text = ""]) => `<strong>${discordInline(text)}</strong>`],
  [/__(?=\S)((?:\\.|(?!__)[\s\S])+)__/y, ([, text = ""]) => `<u>${discordInline(text)}</u>`],
  [/~~(?=\S)((?:\\.|(?!~~)[\s\S])+)~~/y, ([, text = ""]) => `<del>${discordInline(text)}</del>`],
  [
    /\|\|((?:\\.|(?!\|\|)[\s\S])+)\|\|/y,
    ([, text = ""]) => `<span class="d-spoiler">${discordInline(text)}</span>`,
  ],
  [/\*(?=\S)((?:\\.|[^*\\])+)\*/y, ([, text = ""]) => `<em>${discordInline(text)}</em>`],
  [/_(?=\S)((?:\\.|[^_\\])+)_(?![\p{L}\p{N}])/uy, ([, text = ""]) => `<em>${discordInline(text)}</em>`],
];

export function discordInline(text: string): string {
  let html = "";
  for (let at = 0; at < text.length;) {
    const [length, shown] = firstMatch(text, at);
    html += shown;
    at += length;
  }
  return html;
}

function firstMatch(text: string, at: number): readonly [number, string] {
  for (const [pattern, show] of RULES) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return [found[0].length, show(found)];
  }
  // An underscore within a word, and the word it stands in, are read as they are.
  const word = /^[\p{L}\p{N}_]+/u.exec(/[\p{L}\p{N}]/u.test(text.charAt(at)) ? text.slice(at) : "")?.[0];
  const isAddress = /^https?:/.test(text.slice(at));
  if (word !== undefined && !isAddress && word.includes("_") && !word.endsWith("_"))
    return [word.length, escapeHtml(word)];
  const length = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return [length, escapeHtml(text.slice(at, at + length))];
}

/** It would be shown as a mention; whether it pings says `allowed_mentions`. */
function mentionView(mention: string): string {
  return `<span class="d-mention">${escapeHtml(mention)}</span>`;
}
