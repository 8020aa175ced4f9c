// What every Answers keeps; see src/core/ports/answers.ts.
import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { InboundId } from "../../src/core/ids.ts";
import type { Answers, OwedAnswer } from "../../src/core/ports/answers.ts";
import type { ContractCase } from "./contract.ts";

/** In a space of its own, since a database is shared by the cases. */
function owedIn(space = randomBytes(6).toString("hex")) {
  let count = 0;
  const owed = (text: string): OwedAnswer => ({
    command: `slack/A1/${space}/C1/command/${++count}` as InboundId,
    platform: "slack",
    space,
    place: '{"at":"here"}',
    text,
  });
  return { space, owed };
}

const now = { idleMs: 0, keptMs: 60_000, limit: 10 };

export const answersCases: readonly ContractCase<Answers>[] = [
  {
    title:
      "of the deliveries of one command, also at once, one owes its answer, and what it said first is kept",
    async run(answers) {
      const { space, owed } = owedIn();
      const one = owed("first");
      expect(await answers.owe(one)).toBe(true);
      expect(await answers.owe({ ...one, text: "second" })).toBe(false);
      const two = owed("other");
      const many = await Promise.all(Array.from({ length: 5 }, () => answers.owe(two)));
      expect(many.filter(Boolean)).toHaveLength(1);
      expect(await answers.untold("slack", space, now)).toEqual([one, two]);
    },
  },
  {
    title: "what may be owed again is once its time is over, by one of those who want to, and not before",
    async run(answers) {
      const { space, owed } = owedIn();
      const one = owed("first");
      expect(await answers.owe(one, 60_000)).toBe(true);
      await answers.told(one.command);
      expect(await answers.owe({ ...one, text: "too soon" }, 60_000)).toBe(false);
      expect(await answers.untold("slack", space, now)).toEqual([]);
      const again = { ...one, text: "again", place: '{"at":"there"}' };
      expect(await answers.owe(again, 0)).toBe(true);
      expect(await answers.untold("slack", space, now)).toEqual([again]);
    },
  },
  {
    title: "what is told is told no more, and stays known as owed",
    async run(answers) {
      const { space, owed } = owedIn();
      const one = owed("a");
      await answers.owe(one);
      await answers.told(one.command);
      await answers.told(one.command);
      expect(await answers.untold("slack", space, now)).toEqual([]);
      expect(await answers.owe(one)).toBe(false);
    },
  },
  {
    title: "what somebody set out to tell is left to them for a while, the oldest first after that",
    async run(answers) {
      const { space, owed } = owedIn();
      const all = Array.from({ length: 8 }, (_, n) => owed(String(n)));
      for (const each of all) await answers.owe(each);
      const later = { ...now, idleMs: 60_000 };
      expect(await answers.untold("slack", space, later)).toEqual([]);
      expect(await answers.untold("slack", space, { ...now, limit: 3 })).toEqual(all.slice(0, 3));
      expect(await answers.untold("slack", space, later)).toEqual([]);
      expect(await answers.untold("slack", space, now)).toEqual(all);
    },
  },
  {
    title:
      "other spaces are not named, and what is too old to be of use is forgotten, but not that it was owed",
    async run(answers) {
      const { space, owed } = owedIn();
      const one = owed("a");
      await answers.owe(one);
      await answers.owe(owedIn().owed("of another space"));
      expect(await answers.untold("discord", space, { ...now, keptMs: 0 })).toEqual([]);
      expect((await answers.untold("slack", space, now)).map(({ text }) => text)).toEqual(["a"]);
      expect(await answers.untold("slack", space, { ...now, keptMs: 0 })).toEqual([]);
      expect(await answers.untold("slack", space, now)).toEqual([]);
      expect(await answers.owe(one)).toBe(false);
    },
  },
];
