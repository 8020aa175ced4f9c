/**
 * Takes out what looks random enough to be a secret of no known kind. Only for what leaves as a record, which is logs and exports: in a
 * conversation it would take words away that people and the model need. Pure.
 */

const MASK = "***";

/** A shorter run of signs is too often a word, a longer one is data (an image, a file) and no secret. */
const SHORTEST = 24;
const LONGEST = 256;
const SHORTEST_NAMED = 12;

/** An escape of JSON belongs to no run: its letter would be taken for the first one, and the backslash left alone. */
const RUN = /\\(?:u[0-9a-fA-F]{4}|.)|[A-Za-z0-9+/_-]{24,}={0,2}/gs;

/** Where the name says what it is, less is enough. A name ends here and is not part of a longer word ("tokens"). */
const NAMED =
  /((?:api|access|secret|private|signing|client)[_-]?key|token|secret|password|passwd|pwd)(\\*["']?\s*[:=]\s*(?:\\*["'])?)([A-Za-z0-9+/_.~-]{12,256}={0,2})(?![A-Za-z0-9+/_.~-])/gi;

/**
 * Replaces by `***` each run of 24 to 256 letters, digits and `+/_-` that mixes capitals, small letters and digits as chance does, and each
 * value of 12 or more behind a name such as `token=`. Ids of ours, hashes, UUIDs, names and paths stay: they have two kinds
 * of signs, or words in them. Never throws; JSON stays JSON.
 */
export function maskEntropy(text: string): string {
  const named = text.replace(NAMED, (all: string, name: string, sign: string, value: string) =>
    isMixed(value) ? `${name}${sign}${MASK}` : all,
  );
  return named.replace(RUN, (run) => (looksRandom(run) ? MASK : run));
}

/** A word has letters alone, and no word has so many. */
const LONGEST_WORD = 20;

/** Whether a secret is one that nobody says by chance: "postgres" and "ollama" are words, also where they serve as passwords. */
export function isNoWord(secret: string): boolean {
  if (/^\p{L}*$/u.test(secret)) return secret.length > LONGEST_WORD;
  return secret.length >= SHORTEST_NAMED || isMixed(secret);
}

/** Letters and digits, and no few of them again and again. */
function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value) && entropyOf(value) >= 2.5;
}

function looksRandom(run: string): boolean {
  if (run.startsWith("\\") || run.length < SHORTEST || run.length > LONGEST) return false;
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run) || !/\d/.test(run)) return false;
  return changesIn(run) >= 0.4 && entropyOf(run) >= 3.5;
}

/**
 * How often a sign is of another kind than the one before it. By chance that is six times in ten; in words, names and paths, also
 * where each word begins with a capital, at most three.
 */
function changesIn(run: string): number {
  const kinds = run.replaceAll(/[^A-Za-z0-9]/g, "");
  let changes = 0;
  for (let n = 1; n < kinds.length; n++) if (kindOf(kinds, n) !== kindOf(kinds, n - 1)) changes += 1;
  return changes / Math.max(1, kinds.length - 1);
}

function kindOf(text: string, n: number): 0 | 1 | 2 {
  const code = text.charCodeAt(n);
  return code < 58 ? 0 : code < 91 ? 1 : 2;
}

/** Bits of each sign, by how often the signs occur. */
function entropyOf(run: string): number {
  const counts = new Map<string, number>();
  for (const sign of run) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / run.length) * Math.log2(count / run.length);
  return bits;
}
