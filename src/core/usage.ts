/** Token use and cost, in disjoint buckets. An absent bucket means "not reported", which differs from zero. */

export interface Usage {
  /** Fresh input, without what came from or went to the provider's cache. */
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Visible output, without reasoning. */
  readonly output?: number;
  readonly reasoning?: number;
  /** US dollars. */
  readonly cost?: number;
}

/** Usage of one model call, with how it went. */
export interface CallUsage extends Usage {
  readonly model: string;
  readonly provider?: string;
  /** From the request's start to the first token, ms. */
  readonly firstTokenMs?: number;
  readonly durationMs: number;
  /** Output (with reasoning) per second since the first token. */
  readonly tokensPerSecond?: number;
}

const BUCKETS = ["input", "cacheRead", "cacheWrite", "output", "reasoning", "cost"] as const;

/** Sums bucket by bucket; a bucket that nobody reported stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const bucket of BUCKETS) {
    const x = a[bucket];
    const y = b[bucket];
    if (x !== undefined || y !== undefined) sum[bucket] = (x ?? 0) + (y ?? 0);
  }
  return sum;
}

/** All tokens that were reported; absent when none were. */
export function totalTokens(usage: Usage): number | undefined {
  const known = BUCKETS.filter((b) => b !== "cost").flatMap((b) => usage[b] ?? []);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}

/** How much of what the model read came from the provider's cache, 0 to 1; absent where that was not reported. */
export function cachedShare({ input, cacheRead, cacheWrite }: Usage): number | undefined {
  if (cacheRead === undefined) return undefined;
  const read = (input ?? 0) + cacheRead + (cacheWrite ?? 0);
  return read === 0 ? undefined : cacheRead / read;
}

/** What counts for a budget: what came from the provider's cache is free. */
export function freshTokens({ input = 0, cacheWrite = 0, output = 0, reasoning = 0 }: Usage): number {
  return input + cacheWrite + output + reasoning;
}
