/**
 * Takes secrets out of text: known values, in the forms in which they travel, and whatever looks like a well-known kind of
 * secret. Pure, so that logs, stored history, exports and error sentences use the same rule.
 */

const MASK = "***";

/** Shorter values are not masked: they would be found everywhere, and a text full of masks says nothing. */
const SHORTEST = 6;

/** From `start` up to but without `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where secrets stand in a text: ascending, apart from each other. */
export type SecretsIn = (text: string) => readonly Span[];

/**
 * @returns a function that finds each known secret (as it is, percent-encoded, inside JSON, in base64 at any offset) and each
 * well-known pattern. Never throws.
 */
export function finderOf(secrets: readonly string[]): SecretsIn {
  const forms = allFormsOf(secrets);
  if (forms.size === 0) return (text) => merged(patternsIn(text));
  // The longest first: a secret that contains another is found as a whole.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const known = new RegExp(
    longestFirst.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|"),
    "g",
  );
  return (text) => {
    const spans = [...text.matchAll(known)].map(({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
    }));
    return merged([...spans, ...patternsIn(text)]);
  };
}

/**
 * @returns a function that says where a secret begins of which the text ends with a part: the first such place, or the text's length.
 * It looks only for secrets that hold a space or a sign beyond ASCII; all others, and the patterns, are runs of signs between spaces.
 */
export function beginningOf(secrets: readonly string[]): (text: string) => number {
  const forms = [...allFormsOf(secrets)].filter((form) => /[^!-~]/.test(form));
  return (text) => Math.min(text.length, ...forms.map((form) => text.length - overlapOf(text, form)));
}

/**
 * The same text with `***` for the larger half of a known secret that it breaks off in. Less than half says nothing, and may be a word.
 * @returns a function for texts to which nothing is added any more.
 */
export function brokenOffMasker(secrets: readonly string[]): (text: string) => string {
  const forms = [...allFormsOf(secrets)];
  return (text) => {
    const part = Math.max(0, ...forms.map((form) => halfOf(text, form)));
    return part === 0 ? text : text.slice(0, -part) + MASK;
  };
}

function halfOf(text: string, form: string): number {
  const part = overlapOf(text, form);
  return part >= SHORTEST && part >= form.length / 2 ? part : 0;
}

/** How many signs of the secret's beginning, and not all, the text ends with. */
function overlapOf(text: string, form: string): number {
  let most = Math.min(form.length - 1, text.length);
  while (most > 0 && !text.endsWith(form.slice(0, most))) most--;
  return most;
}

/** The same text with `***` for each of them; JSON stays JSON. */
export function without(text: string, spans: readonly Span[]): string {
  let masked = "";
  let at = 0;
  for (const { start, end } of spans) {
    masked += text.slice(at, start) + MASK;
    at = end;
  }
  return at === 0 ? text : masked + text.slice(at);
}

/** @returns a function that replaces what `finderOf` finds by `***`, and changes nothing else. */
export function maskerOf(secrets: readonly string[]): (text: string) => string {
  const find = finderOf(secrets);
  return (text) => without(text, find(text));
}

/** For what people and models say, which is stored as it is found. */
export interface SecretsInTalk {
  readonly find: SecretsIn;
  /** As of `beginningOf`, for what is still said. */
  begunAt(text: string): number;
  /** As of `brokenOffMasker`, for what broke off. */
  maskPart(text: string): string;
}

/** Secrets that become known one after the other, such as the tokens of installs. */
export interface KnownSecrets extends SecretsInTalk {
  /** For what is told of the process itself, such as logs. */
  mask(text: string): string;
  /** From now on it is masked too. Of what was learnt the newest `MOST_LEARNT` count. */
  learn(secret: string): void;
}

const MOST_LEARNT = 500;

/** @param inTalk those of them that nobody says without meaning the secret. */
export function createKnownSecrets(
  first: readonly string[],
  inTalk: readonly string[] = first,
): KnownSecrets {
  const learnt = new Set<string>();
  let finders: { readonly all: SecretsIn; readonly inTalk: SecretsInTalk } | undefined;
  const open = () => {
    const talk = [...inTalk, ...learnt];
    const found = { find: finderOf(talk), begunAt: beginningOf(talk), maskPart: brokenOffMasker(talk) };
    return { all: finderOf([...first, ...learnt]), inTalk: found };
  };
  const find = () => (finders ??= open());
  return {
    find: (text) => find().inTalk.find(text),
    begunAt: (text) => find().inTalk.begunAt(text),
    maskPart: (text) => find().inTalk.maskPart(text),
    mask: (text) => without(text, find().all(text)),
    learn(secret) {
      if (learnt.has(secret)) return;
      learnt.add(secret);
      const [oldest] = learnt;
      if (learnt.size > MOST_LEARNT && oldest !== undefined) learnt.delete(oldest);
      finders = undefined;
    },
  };
}

/** The first group is what stays in front of the secret, where there is one. None of them may run over a quote or a backslash, which
 * would break JSON, and each looks only a bounded way ahead where it could fail late, so that no text makes it slow.
 * A word begins behind an escape too, whose letter is none of it. */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN (?<kind>[A-Z ]*)PRIVATE KEY-----[^"]{0,6000}?-----END \k<kind>PRIVATE KEY-----/g,
  // Its lines, also as JSON writes their ends; the backslash of anything else belongs to what follows.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\r\n]|\\+[rn])*/g,
  // The password of a URL, which may itself hold an unescaped @ only where no host could follow.
  /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'\\<>]*:)[^\s/"'\\<>]+(?=@)/gi,
  /(?:\b|(?<=\\[nrt]))(xox[a-z](?:\.xox[a-z])?-|xapp-)[A-Za-z0-9-]{8,}/g,
  /(hooks\.slack\.com\/[a-z]+\/)[A-Za-z0-9/_-]+/g,
  /(\/(?:webhooks|interactions)\/\d{5,}\/)[A-Za-z0-9_-]{20,}/g,
  /(?:\b|(?<=\\[nrt]))(sk-)[A-Za-z0-9_-]{16,}/g,
  /(?:\b|(?<=\\[nrt]))(gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}/g,
  /(?:\b|(?<=\\[nrt]))AKIA[0-9A-Z]{16}\b/g,
  /(?:\b|(?<=\\[nrt]))AIza[0-9A-Za-z_-]{35}/g,
  /(?:\b|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  // A Discord bot token: the bot's id in base64, a time, a signature.
  /(?:\b|(?<=\\[nrt]))[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g,
  /(?:\b|(?<=\\[nrt]))(authorization["\\]*\s*[:=]\s*["\\]*(?:bearer|basic|bot)\s+)[^\s"'\\]+/gi,
  /(?:\b|(?<=\\[nrt]))(Bearer\s+)(?=[^\s"'\\]*\d)[A-Za-z0-9._~+/=-]{16,}/g,
  /([?&](?:access_token|refresh_token|token|api_?key|client_secret|secret|password|signature)=)[^&\s"'\\]+/gi,
];

/** Keys, tokens, passwords in URLs, private keys. */
function patternsIn(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const pattern of PATTERNS) {
    for (const found of text.matchAll(pattern)) {
      const stays = found.groups === undefined ? (found[1]?.length ?? 0) : 0;
      spans.push({ start: found.index + stays, end: found.index + found[0].length });
    }
  }
  return spans;
}

/** Those that lie in each other are one. */
function merged(spans: readonly Span[]): readonly Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || span.start >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { start: last.start, end: span.end };
  }
  return apart;
}

const findPatterns = finderOf([]);

/** Replaces what looks like a well-known kind of secret by `***`. */
export function maskPatterns(text: string): string {
  return without(text, findPatterns(text));
}

function allFormsOf(secrets: readonly string[]): ReadonlySet<string> {
  return new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf));
}

function formsOf(secret: string): string[] {
  const wellFormed = secret.toWellFormed();
  const percent = encodeURIComponent(wellFormed);
  const lowerPercent = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, json, percent, lowerPercent, percent.replaceAll("%20", "+")];
  for (const offset of [0, 1, 2]) {
    const core = base64Core(wellFormed, offset);
    forms.push(core, core.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms.filter((form) => form.length >= SHORTEST);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * The base64 characters that stand for the secret and nothing else when `offset` (0 to 2) bytes, modulo 3, come before it,
 * as the user name does in basic authentication. Bits shared with a neighbour are left out.
 */
function base64Core(secret: string, offset: number): string {
  const bytes = [...Array.from({ length: offset }, () => 0), ...new TextEncoder().encode(secret)];
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  let text = "";
  for (let place = first; place < end; place++) {
    const bit = place * 6;
    const high = bytes[bit >> 3] ?? 0;
    const low = bytes[(bit >> 3) + 1] ?? 0;
    text += ALPHABET.charAt((((high << 8) | low) >> (10 - (bit & 7))) & 63);
  }
  return text;
}
