/**
 * Takes secrets out of text: known values, in the forms in which they travel, and whatever looks like a well-known kind of
 * secret. Pure, so that logs, stored history, exports and error sentences use the same rule.
 */

const MASK = "***";

/** Shorter values are not masked: they would be found everywhere, and a text full of masks says nothing. */
const SHORTEST = 6;

/**
 * @returns a function that replaces each known secret (as it is, percent-encoded, inside JSON, in base64 at any offset)
 * and each well-known pattern by `***`. Never throws; changes nothing else; JSON stays JSON.
 */
export function maskerOf(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf));
  if (forms.size === 0) return maskPatterns;
  // The longest first: a secret that contains another is replaced as a whole.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const known = new RegExp(
    longestFirst.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|"),
    "g",
  );
  return (text) => maskPatterns(text.replace(known, MASK));
}

/** Secrets that become known one after the other, such as the tokens of installs. */
export interface KnownSecrets {
  mask(text: string): string;
  /** From now on it is masked too. Of what was learnt the newest `MOST_LEARNT` count. */
  learn(secret: string): void;
}

const MOST_LEARNT = 500;

export function createKnownSecrets(first: readonly string[]): KnownSecrets {
  const learnt = new Set<string>();
  let mask: ((text: string) => string) | undefined;
  return {
    mask: (text) => (mask ??= maskerOf([...first, ...learnt]))(text),
    learn(secret) {
      if (learnt.has(secret)) return;
      learnt.add(secret);
      const [oldest] = learnt;
      if (learnt.size > MOST_LEARNT && oldest !== undefined) learnt.delete(oldest);
      mask = undefined;
    },
  };
}

/** `$1` is what stays in front of the secret. None of them may run over a quote or a backslash, which
 * would break JSON, and each looks only a bounded way ahead where it could fail late, so that no text makes it slow. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^"]{0,6000}?-----END \1PRIVATE KEY-----/g, MASK],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\r\n\\]*/g, MASK],
  // The password of a URL, which may itself hold an unescaped @ only where no host could follow.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'\\<>]*:)[^\s/"'\\<>]+(?=@)/gi, `$1${MASK}`],
  [/\b(xox[a-z](?:\.xox[a-z])?-|xapp-)[A-Za-z0-9-]{8,}/g, `$1${MASK}`],
  [/(hooks\.slack\.com\/[a-z]+\/)[A-Za-z0-9/_-]+/g, `$1${MASK}`],
  [/(\/(?:webhooks|interactions)\/\d{5,}\/)[A-Za-z0-9_-]{20,}/g, `$1${MASK}`],
  [/\b(sk-)[A-Za-z0-9_-]{16,}/g, `$1${MASK}`],
  [/\b(gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}/g, `$1${MASK}`],
  [/\bAKIA[0-9A-Z]{16}\b/g, MASK],
  [/\bAIza[0-9A-Za-z_-]{35}/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g, MASK],
  // A Discord bot token: the bot's id in base64, a time, a signature.
  [/\b[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g, MASK],
  [/\b(authorization["\\]*\s*[:=]\s*["\\]*(?:bearer|basic|bot)\s+)[^\s"'\\]+/gi, `$1${MASK}`],
  [/\b(Bearer\s+)(?=[^\s"'\\]*\d)[A-Za-z0-9._~+/=-]{16,}/g, `$1${MASK}`],
  [
    /([?&](?:access_token|refresh_token|token|api_?key|client_secret|secret|password|signature)=)[^&\s"'\\]+/gi,
    `$1${MASK}`,
  ],
];

/** Replaces what looks like a well-known kind of secret: keys, tokens, passwords in URLs, private keys. */
export function maskPatterns(text: string): string {
  let masked = text;
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked;
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
