// What every Pacer keeps; see src/core/ports/pacer.ts. Time is the test's own.
import { expect } from "vitest";
import type { Budget, Pacer, Urgency } from "../../src/core/ports/pacer.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export interface PacerSubject {
  readonly pacer: Pacer;
  pass(ms: number): Promise<void>;
}

/** Whole minutes, so that what comes back in a moment is nothing. */
const POSTS: Budget = { key: "p:a:posts", everyMs: 60_000, burst: 4 };
const ONE: Budget = { key: "p:a:one", everyMs: 1_000, burst: 1 };
const EDITS: Budget = { key: "p:a:edits", everyMs: 1_000, burst: 4, isLeast: true };

let names = 0;

/** Somebody else each time. */
function ask(pacer: Pacer, urgency: Urgency, budget = POSTS): Promise<number> {
  return pacer.take(budget, { who: `t${names++}`, urgency });
}

async function given(pacer: Pacer, urgency: Urgency, times: number, budget = POSTS): Promise<number> {
  let count = 0;
  for (let at = 0; at < times; at++) if ((await ask(pacer, urgency, budget)) === 0) count++;
  return count;
}

export const pacerCases: readonly ContractCase<PacerSubject>[] = [
  {
    title: "so many writes may be made at once, and then it says how long to wait",
    async run({ pacer }) {
      expect(await given(pacer, "final", 4, EDITS)).toBe(4);
      expect(await given(pacer, "final", 4)).toBe(4);
      expect(await ask(pacer, "final")).toBe(5_000);
      expect(await ask(pacer, "final", { ...POSTS, key: "p:b:posts" })).toBe(0);
    },
  },
  {
    title: "who asks at the same time gets no more writes",
    async run({ pacer }) {
      const waits = await Promise.all(Array.from({ length: 20 }, () => ask(pacer, "final")));
      expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(4);
    },
  },
  {
    title: "budgets are apart",
    async run({ pacer }) {
      expect(await given(pacer, "final", 5)).toBe(4);
      expect(await ask(pacer, "final", ONE)).toBe(0);
    },
  },
  {
    title: "a write comes back with time, to the millisecond, and after a long pause all of them do",
    async run({ pacer, pass }) {
      await ask(pacer, "final", ONE);
      const who = { who: "me", urgency: "final" } as const;
      expect(await pacer.take(ONE, who)).toBe(1_000);
      await pass(400);
      expect(await pacer.take(ONE, who)).toBe(600);
      await pass(600);
      expect(await pacer.take(ONE, who)).toBe(0);
      await given(pacer, "final", 4);
      await pass(1_000_000);
      expect(await given(pacer, "final", 5)).toBe(4);
    },
  },
  {
    title: "while it is held nobody writes, and a shorter hold does not end a longer one",
    async run({ pacer, pass }) {
      await pacer.hold(EDITS, 4_000);
      await pacer.hold(EDITS, 1);
      const who = { who: "me", urgency: "final" } as const;
      expect(await pacer.take(EDITS, who)).toBe(4_000);
      expect(await ask(pacer, "final", ONE)).toBe(0);
      await pass(3_999);
      expect(await pacer.take(EDITS, who)).toBe(1);
      await pass(1);
      expect(await pacer.take(EDITS, who)).toBe(0);
      // And then not all at once.
      expect(await ask(pacer, "final", EDITS)).toBe(1_000);
    },
  },
  {
    title: "progress leaves room for new replies, and those for finals",
    async run({ pacer }) {
      expect(await given(pacer, "progress", 4)).toBe(2);
      expect(await given(pacer, "reply", 4)).toBe(1);
      expect(await given(pacer, "final", 4)).toBe(1);
    },
  },
  {
    title: "a final comes before new replies, those before progress, whoever came first",
    async run({ pacer, pass }) {
      await ask(pacer, "final", ONE);
      const order: Urgency[] = ["progress", "reply", "final"];
      const one = (urgency: Urgency) => pacer.take(ONE, { who: urgency, urgency });
      const came: Urgency[] = [];
      for (let seconds = 0; seconds < 4; seconds++) {
        for (const urgency of order.filter((each) => !came.includes(each)))
          if ((await one(urgency)) === 0) came.push(urgency);
        await pass(1_000);
      }
      expect(came).toEqual(["final", "reply", "progress"]);
    },
  },
  {
    title: "within a kind who came first has the first turn",
    async run({ pacer, pass }) {
      await ask(pacer, "final", ONE);
      const waits = [];
      for (const who of ["a", "b", "c"]) {
        waits.push(await pacer.take(ONE, { who, urgency: "final" }));
        await pass(10);
      }
      expect(waits).toEqual([1_000, 1_990, 2_980]);
      await pass(970);
      const again = [];
      for (const who of ["c", "b", "a"]) again.push(await pacer.take(ONE, { who, urgency: "final" }));
      expect(again).toEqual([2_000, 1_000, 0]);
    },
  },
  {
    title: "who gives up its place is waited for by nobody",
    async run({ pacer, pass }) {
      await ask(pacer, "final", ONE);
      await pacer.take(ONE, { who: "a", urgency: "final" });
      await pass(1);
      expect(await pacer.take(ONE, { who: "b", urgency: "final" })).toBe(1_999);
      await pacer.leave(ONE, "a");
      expect(await pacer.take(ONE, { who: "b", urgency: "final" })).toBe(999);
      await pass(999);
      expect(await pacer.take(ONE, { who: "b", urgency: "final" })).toBe(0);
      await pacer.leave(ONE, "nobody");
    },
  },
  {
    title: "who never comes for its turn loses its place",
    async run({ pacer, pass }) {
      await ask(pacer, "final", ONE);
      await pacer.take(ONE, { who: "dead", urgency: "final" });
      await pass(1_000);
      const me = { who: "me", urgency: "progress" } as const;
      expect(await pacer.take(ONE, me)).toBe(1_000);
      await pass(1_000);
      expect(await pacer.take(ONE, me)).toBe(1_000);
      await pass(1_001);
      expect(await pacer.take(ONE, me)).toBe(0);
    },
  },
  {
    title: "who waits with progress and then has a final keeps one place, and it is a final's",
    async run({ pacer, pass }) {
      await ask(pacer, "final", ONE);
      await pacer.take(ONE, { who: "me", urgency: "progress" });
      await pacer.take(ONE, { who: "other", urgency: "reply" });
      expect(await pacer.take(ONE, { who: "me", urgency: "final" })).toBe(1_000);
      expect(await pacer.take(ONE, { who: "other", urgency: "reply" })).toBe(2_000);
      await pass(1_000);
      expect(await pacer.take(ONE, { who: "me", urgency: "final" })).toBe(0);
      expect(await pacer.take(ONE, { who: "other", urgency: "reply" })).toBe(1_000);
    },
  },
  {
    title:
      "a budget that is the least is kept to by progress alone, until the platform has refused something",
    async run({ pacer, pass }) {
      expect(await given(pacer, "progress", 4, EDITS)).toBe(2);
      expect(await given(pacer, "reply", 10, EDITS)).toBe(10);
      expect(await given(pacer, "final", 10, EDITS)).toBe(10);
      expect(await given(pacer, "progress", 4, EDITS)).toBe(0);
      await pacer.hold(EDITS, 1_000);
      await pass(60_000);
      expect(await given(pacer, "final", 10, EDITS)).toBeLessThan(5);
      await pass(9.5 * 60_000);
      expect(await given(pacer, "final", 10, EDITS)).toBe(10);
    },
  },
  {
    title:
      "after a refusal finals wait for as long as the platform said, however much was written beyond the budget",
    async run({ pacer, pass }) {
      await given(pacer, "final", 500, EDITS);
      await pacer.hold(EDITS, 2_000);
      const who = { who: "me", urgency: "final" } as const;
      expect(await pacer.take(EDITS, who)).toBe(2_000);
      await pass(2_000);
      expect(await pacer.take(EDITS, who)).toBe(0);
    },
  },
  {
    title: "what was written beyond the budget keeps progress away for a minute and no longer",
    async run({ pacer, pass }) {
      await given(pacer, "final", 500, EDITS);
      expect(await ask(pacer, "progress", EDITS)).toBeGreaterThan(20_000);
      await pass(59_000);
      expect(await given(pacer, "progress", 1, EDITS)).toBe(0);
      await pass(10_000);
      expect(await given(pacer, "progress", 4, EDITS)).toBe(2);
    },
  },
];

/** Registers the suite over one implementation. */
export function pacerContract(name: string, open: OpenSubject<PacerSubject>): void {
  runContract(`Pacer: ${name}`, pacerCases, open);
}
