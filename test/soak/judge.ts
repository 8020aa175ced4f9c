// Says of each figure of a soak whether it is flat: pure, the same samples have the same answer.
import type { Sample } from "./figures.ts";

export interface Tolerance {
  /** What may come on top over the judged time, in the figure's own unit. */
  readonly least: number;
  /** The same as a share of the median; the larger of the two counts. */
  readonly share: number;
  /** It rises until it begins anew, over and over: only its highest points say whether it grows. Default false. */
  readonly isRenewed?: boolean;
}

export interface Verdict {
  readonly of: string;
  readonly figure: string;
  readonly points: number;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** By the slope, over the judged time; of what is renewed, from the highest point of its first half to that of its second. */
  readonly growth: number;
  /** Undefined where it is only told. */
  readonly allowed: number | undefined;
  readonly standing: "flat" | "grows" | "told" | "too few";
}

export interface JudgeOptions {
  /** What of the whole time is not judged, at its begin. Default a third. */
  readonly warmUp?: number;
  /** Undefined for figures that are only told. */
  toleranceOf(of: string, figure: string): Tolerance | undefined;
}

/** With fewer points two that lie apart by chance would be a slope. */
const FEWEST = 8;

/** A figure that a sample does not have was not looked at then; one kind of resource that is not listed is 0. */
export function judge(samples: readonly Sample[], options: JudgeOptions): readonly Verdict[] {
  const { warmUp = 1 / 3, toleranceOf } = options;
  const endMs = samples.at(-1)?.atMs ?? 0;
  const fromMs = endMs * warmUp;
  const judged = samples.filter(({ atMs }) => atMs >= fromMs);
  const names = new Map<string, Set<string>>();
  for (const sample of judged) {
    for (const [of, figures] of Object.entries(sample.of)) {
      const known = names.get(of) ?? new Set();
      names.set(of, known);
      for (const figure of Object.keys(figures)) known.add(figure);
    }
  }
  return [...names].flatMap(([of, figures]) =>
    [...figures].toSorted().map((figure): Verdict => {
      const points = judged.flatMap(({ atMs, of: all }): Point[] => {
        const value = all[of]?.[figure] ?? (isCountedByKind(figure) && all[of] !== undefined ? 0 : undefined);
        return value === undefined ? [] : [{ atMs, value }];
      });
      const values = points.map(({ value }) => value);
      const median = medianOf(values);
      const tolerance = toleranceOf(of, figure);
      const growth =
        tolerance?.isRenewed === true
          ? betweenPeaks(points, (fromMs + endMs) / 2)
          : slopeOf(points) * (endMs - fromMs);
      const allowed = tolerance && Math.max(tolerance.least, tolerance.share * Math.abs(median));
      return {
        of,
        figure,
        points: points.length,
        median,
        least: Math.min(...values),
        most: Math.max(...values),
        growth,
        allowed,
        standing:
          allowed === undefined
            ? "told"
            : points.length < FEWEST
              ? "too few"
              : growth > allowed
                ? "grows"
                : "flat",
      };
    }),
  );
}

/** Of figures that were taken at rest: before all, and after. Whoever was not seen twice is not judged. */
export function judgeRest(
  before: Sample["of"],
  after: Sample["of"],
  toleranceOf: JudgeOptions["toleranceOf"],
): readonly Verdict[] {
  return Object.entries(after).flatMap(([of, figures]) =>
    Object.entries(figures).flatMap(([figure, now]): Verdict[] => {
      const was = before[of]?.[figure] ?? (isCountedByKind(figure) ? 0 : undefined);
      if (was === undefined || before[of] === undefined) return [];
      const tolerance = toleranceOf(of, `${figure} at rest`);
      const allowed = tolerance && Math.max(tolerance.least, tolerance.share * was);
      const standing = allowed === undefined ? "told" : now - was > allowed ? "grows" : "flat";
      const least = Math.min(was, now);
      const most = Math.max(was, now);
      return [
        { of, figure, points: 2, median: (was + now) / 2, least, most, growth: now - was, allowed, standing },
      ];
    }),
  );
}

/** What lists only kinds that there are. */
const isCountedByKind = (figure: string): boolean => /^(active|keys|connections) /.test(figure);

interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Theil-Sen: the median of the slopes between all pairs, which no single bad moment moves. */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((one, at) =>
    points
      .slice(at + 1)
      .flatMap((other) =>
        other.atMs === one.atMs ? [] : [(other.value - one.value) / (other.atMs - one.atMs)],
      ),
  );
  return slopes.length === 0 ? 0 : medianOf(slopes);
}

function betweenPeaks(points: readonly Point[], middleMs: number): number {
  const peakOf = (half: readonly Point[]): number => Math.max(...half.map(({ value }) => value));
  return (
    peakOf(points.filter(({ atMs }) => atMs >= middleMs)) -
    peakOf(points.filter(({ atMs }) => atMs < middleMs))
  );
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
