/** Makers of ids and hashes over Node's crypto; core gets them as arguments. */

import { createHash, randomFillSync } from "node:crypto";
import type { Hash, NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";

/** Without i, l, o, u: nothing that is misread, and no words. In the order of their character codes, so that ids sort. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
/** 50 bits of milliseconds reach beyond the year 37,000. */
const TIME_LENGTH = 10;
const COUNT_LENGTH = 2;
const COUNT_LIMIT = 32 ** COUNT_LENGTH;
const RANDOM_LENGTH = 12;
/** Ids that one call of the system's generator is enough for. */
const IDS_AT_ONCE = 128;

/**
 * Ids of 24 lower-case letters and digits (Discord's nonce has room for 25): milliseconds, a count within the millisecond,
 * 60 random bits. Those of one maker ascend strictly, also when the wall clock is set back; those of several sort by
 * their clocks.
 */
export function createNewId(clock: Pick<Clock, "now">): NewId {
  let time = 0;
  let count = 0;
  const bytes = new Uint8Array(RANDOM_LENGTH * IDS_AT_ONCE);
  let used = bytes.length;
  const random = (): string => {
    if (used === bytes.length) {
      randomFillSync(bytes);
      used = 0;
    }
    let text = "";
    for (const end = used + RANDOM_LENGTH; used < end; used++) text += DIGITS.charAt((bytes[used] ?? 0) % 32);
    return text;
  };
  return () => {
    const now = Math.max(0, Math.floor(clock.now()));
    if (now > time) {
      time = now;
      count = 0;
    } else {
      count += 1;
      if (count === COUNT_LIMIT) {
        time += 1;
        count = 0;
      }
    }
    return encode(time, TIME_LENGTH) + encode(count, COUNT_LENGTH) + random();
  };
}

/** @see Hash */
export const sha256: Hash = (text) => createHash("sha256").update(text, "utf8").digest("hex");

function encode(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32] + text;
  return text;
}
