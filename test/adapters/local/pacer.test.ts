import { expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import type { Budget, Pacer } from "../../../src/core/ports/pacer.ts";
import { expectBroken } from "../../contract/contract.ts";
import { pacerCases, pacerContract, type PacerSubject } from "../../contract/pacer.ts";
import { manualClock } from "../../support/manual-clock.ts";

function open(change: (pacer: Pacer) => Pacer = (pacer) => pacer): PacerSubject & AsyncDisposable {
  const clock = manualClock();
  return {
    pacer: change(createLocalPacer(clock)),
    pass: (ms) => clock.advance(ms),
    [Symbol.asyncDispose]: async () => {},
  };
}

pacerContract("in one process", () => open());

test("alone among others that cannot be asked it takes a part of the budget, and always something", async () => {
  const clock = manualClock();
  const pacer = createLocalPacer(clock, { share: 1 / 4 });
  const budget: Budget = { key: "a", everyMs: 1_000, burst: 4 };
  const take = (who: string) => pacer.take(budget, { who, urgency: "final" });
  expect([await take("a"), await take("b")]).toEqual([0, 4_000]);
  await clock.advance(4_000);
  expect(await take("b")).toBe(0);
});

test("budgets whose line nobody comes for any more are forgotten with the quiet ones", async () => {
  const clock = manualClock();
  const pacer = createLocalPacer(clock);
  const keys = Array.from({ length: 1_001 }, (_, at) => `b${at}`);
  const one = (key: string): Budget => ({ key, everyMs: 1_000, burst: 1 });
  for (const key of keys.slice(0, 1_000))
    for (const who of ["a", "b"]) await pacer.take(one(key), { who, urgency: "final" });
  expect(pacer.known).toBe(1_000);
  await clock.advance(60_000);
  await pacer.take(one("b1000"), { who: "a", urgency: "final" });
  expect(pacer.known).toBe(1);
});

expectBroken("gives everyone a write", pacerCases, () =>
  open((pacer) => ({ ...pacer, take: () => Promise.resolve(0) })),
);
expectBroken(
  "knows one budget only",
  pacerCases,
  () =>
    open((pacer) => ({ ...pacer, take: (budget, asking) => pacer.take({ ...budget, key: "all" }, asking) })),
  { noticedBy: ["budgets are apart"] },
);
expectBroken(
  "goes on when it is told to hold",
  pacerCases,
  () => open((pacer) => ({ ...pacer, hold: () => Promise.resolve() })),
  { noticedBy: ["while it is held nobody writes, and a shorter hold does not end a longer one"] },
);
expectBroken(
  "takes everything for as urgent as the next",
  pacerCases,
  () =>
    open((pacer) => ({
      ...pacer,
      take: (budget, { who }) => pacer.take(budget, { who, urgency: "final" }),
    })),
  { noticedBy: ["a final comes before new replies, those before progress, whoever came first"] },
);
expectBroken(
  "keeps the places of those that have left",
  pacerCases,
  () => open((pacer) => ({ ...pacer, leave: () => Promise.resolve() })),
  { noticedBy: ["who gives up its place is waited for by nobody"] },
);
