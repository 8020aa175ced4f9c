import fc from "fast-check";
import { expect, test } from "vitest";
import { settledBorder, type BorderLine } from "../../../src/core/branch/border.ts";
import type { RunId } from "../../../src/core/ids.ts";

/** One thing that stands in a history: a turn, a reply with so many calls of which so many have results, a note. */
const piece = fc.oneof(
  fc.constant(["user"] as const),
  fc.constant(["note"] as const),
  fc.constant(["summary"] as const),
  fc
    .tuple(fc.nat(3), fc.nat(3))
    .map(
      ([calls, results]) => ["assistant", ...Array<"tool">(Math.min(calls, results)).fill("tool")] as const,
    ),
);
const runs = fc.array(fc.record({ isNamed: fc.boolean(), pieces: fc.array(piece, { maxLength: 6 }) }), {
  maxLength: 6,
});

/** Runs one after the other, with gaps between their entries as a ledger has them. */
function historyOf(
  given: readonly {
    readonly isNamed: boolean;
    readonly pieces: readonly (readonly BorderLine["kind"][])[];
  }[],
) {
  let seq = 0;
  return given.flatMap(({ isNamed, pieces }, index) =>
    pieces.flat().map((kind): BorderLine => {
      seq += 1 + (seq % 3);
      return { seq, kind, ...(isNamed ? { run: `r${index}` as RunId } : {}) };
    }),
  );
}

test("whatever the history, whatever is asked for: no call is told apart from its results, and nothing of a run that is under way is taken", () => {
  fc.assert(
    fc.property(
      runs,
      fc.option(fc.nat(6)),
      fc.option(fc.nat(6)),
      fc.option(fc.nat(60)),
      (given, open, run, seq) => {
        const lines = historyOf(given);
        const unfinished = open === null ? undefined : (`r${open}` as RunId);
        const at = run !== null ? { run: `r${run}` as RunId } : seq !== null ? { seq } : undefined;
        const border = settledBorder(lines, {
          ...(unfinished === undefined ? {} : { unfinished }),
          ...(at === undefined ? {} : { at }),
        });
        const before = border === undefined ? [] : lines.filter((line) => line.seq <= border.upTo);
        const behind = lines.slice(before.length);
        expect(before).toHaveLength(border?.entries ?? 0);
        expect(behind[0]?.kind).not.toBe("tool");
        expect(before.some((line) => line.run !== undefined && line.run === unfinished)).toBe(false);
        if (at !== undefined && "run" in at) {
          const last = lines.findLastIndex((line) => line.run === at.run);
          expect(before.length).toBeLessThanOrEqual(last + 1);
        }
        // Nothing that is settled is left out for nothing.
        const isPlain = unfinished === undefined && at === undefined;
        if (isPlain) expect(before).toHaveLength(lines.length);
      },
    ),
    { numRuns: 500 },
  );
});

test("a border is behind the answer that the message had, with all that joined its run", () => {
  const line = (seq: number, run: string, kind: BorderLine["kind"]): BorderLine => ({
    seq,
    run: run as RunId,
    kind,
  });
  const lines = [
    line(1, "r1", "user"),
    line(2, "r1", "assistant"),
    line(3, "r1", "tool"),
    line(4, "r1", "user"),
    line(5, "r1", "assistant"),
    line(7, "r2", "user"),
    line(8, "r2", "assistant"),
    line(9, "r3", "user"),
  ];
  const unfinished = "r3" as RunId;
  expect(settledBorder(lines, { unfinished })).toEqual({ upTo: 8, entries: 7 });
  expect(settledBorder(lines, { unfinished, at: { run: "r1" as RunId } })).toEqual({ upTo: 5, entries: 5 });
  expect(settledBorder(lines, { unfinished, at: { seq: 5 } })).toEqual({ upTo: 5, entries: 5 });
  expect(settledBorder(lines, { unfinished, at: { run: "gone" as RunId } })).toBe(undefined);
  expect(settledBorder(lines.slice(7), { unfinished })).toBe(undefined);
});
