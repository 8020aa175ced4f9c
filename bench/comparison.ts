/** What a benchmark finds: samples of the product beside samples of its reference, taken in turn in the same run. */

export interface Comparison {
  /** As in `docs/performance.md`. */
  readonly id: string;
  /** What was measured, with its unit. */
  readonly what: string;
  readonly product: readonly number[];
  readonly reference: { readonly name: string; readonly samples: readonly number[] };
  /** Absent where a figure is only told. */
  readonly bounds?: Bounds;
}

/** What we want, and what would be a fault. */
export interface Bounds {
  /** Of what: the ratio product / reference, or the product's figure itself. */
  readonly of: "ratio" | "figure";
  readonly better: "less" | "more";
  readonly target: number;
  readonly limit: number;
}

export interface Benchmark {
  /** What it is called on the command line. */
  readonly name: string;
  run(world: BenchWorld): Promise<readonly Comparison[]>;
}

/** What every benchmark needs; opened once for a run. */
export interface BenchWorld {
  /** How often product and reference are measured in turn. */
  readonly pairs: number;
  /** `short`: as little as says something. `full`: what a gate may be built on. */
  readonly length: "short" | "full";
  /** A database of its own with today's schema. */
  newDatabase(): Promise<{ readonly url: string }>;
  /** A Redis server of its own, so that its commands can be counted. */
  newRedis(): Promise<{ readonly url: string }>;
  /** Puts a process that is measured on the core that nothing else here uses; does nothing where that cannot be. */
  pin(pid: number): void;
  /** Says what goes on. */
  note(line: string): void;
}

export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @throws RangeError for an empty list. */
export function medianOf(samples: readonly number[]): number {
  return quantileOf(samples, 0.5);
}

/**
 * @param share of the samples that lie below, 0 to 1; between two samples it is interpolated.
 * @throws RangeError for an empty list.
 */
export function quantileOf(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (low === undefined || high === undefined) throw new RangeError("there is no quantile of nothing");
  return low + (high - low) * (place - Math.floor(place));
}

/** Of the pairs, not of the medians: noise that lasts longer than a pair falls on both sides of it. */
export function ratioOf({ product, reference }: Comparison): Ratio {
  if (product.length !== reference.samples.length) throw new RangeError("samples come in pairs");
  const ratios = product.map((sample, index) => sample / (reference.samples[index] ?? Number.NaN));
  return { median: medianOf(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** Measures in turn, `pairs` times; each side of a pair goes first in every other one. */
export async function inTurn<T extends readonly (() => Promise<unknown>)[]>(
  pairs: number,
  measures: readonly [...T],
): Promise<{ readonly [K in keyof T]: Awaited<ReturnType<T[K]>>[] }> {
  const samples = measures.map((): unknown[] => []);
  for (let pair = 0; pair < pairs; pair++) {
    const order = measures.keys().toArray();
    for (const index of pair % 2 === 0 ? order : order.toReversed()) {
      samples[index]?.push(await measures[index]?.());
    }
  }
  return samples as { readonly [K in keyof T]: Awaited<ReturnType<T[K]>>[] };
}
