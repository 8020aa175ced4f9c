// Randomness from one seed. Whoever draws gets a stream of their own, so that how often one draws changes nothing for another.
import { createHash } from "node:crypto";

export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError for an empty list. */
  pick<T>(from: readonly T[]): T;
  /** By weight; those with weight 0 never come. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
  shuffled<T>(list: readonly T[]): T[];
}

/** The same seed and name give the same stream. */
export function randomOf(seed: number, name: string): Random {
  let state = createHash("sha256").update(`${seed}/${name}`).digest().readUInt32LE(0);
  // mulberry32: small, and good enough to choose what breaks next.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(from) {
      const chosen = from[between(0, from.length - 1)];
      if (chosen === undefined) throw new RangeError("nothing to pick from");
      return chosen;
    },
    weighted<K extends string>(weights: Readonly<Record<K, number>>) {
      const all = Object.entries<number>(weights) as [K, number][];
      let left = next() * all.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of all) {
        left -= weight;
        if (left < 0) return name;
      }
      throw new RangeError("no weight above 0");
    },
    shuffled(list) {
      const rest = [...list];
      for (let at = rest.length - 1; at > 0; at--) {
        const other = between(0, at);
        [rest[at], rest[other]] = [rest[other] as (typeof rest)[0], rest[at] as (typeof rest)[0]];
      }
      return rest;
    },
  };
}
