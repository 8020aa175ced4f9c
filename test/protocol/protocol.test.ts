// The protocol as a model: every interleaving of people, two workers, the sweeper, the queue and the platform, with what can go
// wrong. The rules together keep every promise; without any one of them a promise breaks, by the way that is found.
// What an hour of machine time can look at: PROTOCOL=full npx vitest run test/protocol/protocol.test.ts
import { describe, expect, test } from "vitest";
import { allRules, type Fault, type Rules } from "./rules.ts";
import { explore } from "./search.ts";
import type { Setting } from "./state.ts";

const setting = (messages: number, atMost: number, ...faults: readonly Fault[]): Setting => ({
  messages,
  hasStop: true,
  faults,
  atMost,
});
const every = ["crash", "pause", "stall", "shutdown", "flush", "mute", "gateway"] as const;

const small: readonly (readonly [title: string, setting: Setting])[] = [
  ["three messages of two gateways and a stop", { ...setting(3, 0), isParallel: true }],
  ["three messages, a stop, and a worker that is killed at any step", setting(3, 1, "crash")],
  ["three messages, a stop, and a worker that is told to end", setting(3, 1, "shutdown")],
  ["three messages, a stop, and a bell or a gateway that fails", setting(3, 1, "mute", "gateway")],
  ["two messages, a stop, and a job that is taken for stalled", setting(2, 1, "stall")],
  ["a message, a stop, and any one thing that can go wrong", setting(1, 1, ...every)],
];
/** Minutes, and up to 8 GB: the results stand in docs/operations.md. */
const full: typeof small = [
  ["three messages, a stop, and a worker that is paused past its lease", setting(3, 1, "pause")],
  ["three messages, a stop, and a job that is taken for stalled", setting(3, 1, "stall")],
  ["three messages, a stop, and a Redis that is emptied", setting(3, 1, "flush")],
  ["a message, a stop, and two of: killed, paused, Redis emptied", setting(1, 2, "crash", "pause", "flush")],
];

describe("whatever happens in whatever order, each message has one fate, each reply stands there once and whole", () => {
  const isFull = process.env["PROTOCOL"] === "full";
  for (const [title, given] of isFull ? [...small, ...full] : small) {
    test(title, isFull ? { timeout: 3_600_000 } : {}, async ({ annotate }) => {
      const explored = explore(given, allRules);
      expect(explored.found).toBe(undefined);
      await annotate(`${explored.states} states, ${explored.steps} steps, depth ${explored.depth}`);
    });
  }
});

interface Broken {
  readonly without: readonly (keyof Rules)[];
  /** Rules that would hide it, left out on both sides. */
  readonly beside?: readonly (keyof Rules)[];
  readonly in: Setting;
  readonly wrong: string;
}

const noEnd = "it never comes to its end from here";
const broken: readonly Broken[] = [
  { without: ["fence"], in: setting(1, 1, "pause"), wrong: "a write of an older attempt was taken" },
  { without: ["lease"], in: setting(1, 1, "stall"), wrong: "two hold the session's lease" },
  // The word to the ledger and the local deadline each do for a page; where the ledger is away there is only the deadline.
  { without: ["deadline"], beside: ["touch"], in: setting(1, 1, "pause"), wrong: noEnd },
  { without: ["touch"], in: setting(1, 1, "flush"), wrong: noEnd },
  // The sweeper would find it some time later: without it what the other rules keep is seen.
  { without: ["leaseIsShorter"], beside: ["sweeper"], in: setting(1, 1, "crash"), wrong: noEnd },
  { without: ["look"], beside: ["sweeper"], in: setting(2, 1, "stall"), wrong: noEnd },
  { without: ["keepsWake"], beside: ["sweeper"], in: setting(2, 0), wrong: noEnd },
  { without: ["handOverRings"], beside: ["sweeper"], in: setting(1, 2, "stall", "shutdown"), wrong: noEnd },
  { without: ["storeBeforeWake"], beside: ["sweeper"], in: setting(1, 0), wrong: noEnd },
  { without: ["sweeper"], in: setting(1, 1, "mute"), wrong: noEnd },
  { without: ["sweeper"], in: setting(1, 1, "flush"), wrong: noEnd },
  {
    without: ["storeBeforeAck"],
    in: setting(1, 1, "gateway"),
    wrong: "a message was acknowledged and never stored",
  },
  { without: ["resume"], in: setting(1, 1, "crash"), wrong: "the same messages were answered twice" },
  { without: ["settlingFirst"], in: setting(1, 1, "crash"), wrong: noEnd },
  { without: ["endTakesIn"], in: setting(2, 0), wrong: "what was written before the end was not taken in" },
  {
    without: ["dropAtOpen"],
    in: setting(2, 0),
    wrong: "a message from before the stop was taken in after it",
  },
  {
    without: ["dropAtCommit"],
    in: { ...setting(3, 0), isParallel: true },
    wrong: "a message from before the stop was taken in after it",
  },
  {
    without: ["dropAtEnd"],
    in: { ...setting(3, 0), isParallel: true },
    wrong: "a message from before the stop was taken in after it",
  },
  { without: ["stopAtOpen"], in: setting(1, 1, "crash"), wrong: "a stopped run asks the model" },
  { without: ["stopAtCommit"], in: setting(2, 0), wrong: "a stopped run takes messages in" },
  {
    without: ["stopHasTime"],
    in: setting(2, 1, "gateway"),
    wrong: "a message from before the stop was taken in after it",
  },
  { without: ["stopIsPosition"], in: setting(1, 0), wrong: "a run was cancelled that no stop was meant for" },
  { without: ["attemptLasts"], in: setting(1, 1, "crash"), wrong: noEnd },
  { without: ["leaveWaits"], in: setting(1, 1, "pause"), wrong: noEnd },
  { without: ["settleAgain"], in: setting(1, 1, "crash"), wrong: noEnd },
  { without: ["crashIsRemembered"], in: setting(1, 2, "crash", "shutdown"), wrong: noEnd },
  { without: ["keysMerge"], in: setting(1, 1, "crash"), wrong: "a page stands there twice" },
];

describe("each rule is needed: without it the search finds how it goes wrong", () => {
  for (const { without, beside = [], in: given, wrong } of broken) {
    const hidden = beside.length === 0 ? "" : ` (and ${beside.join(", ")})`;
    test(`${without.join(", ")}${hidden}: ${wrong}, with ${given.faults.join(" or ") || "no fault"}`, async ({
      annotate,
    }) => {
      const others = leaveOut(allRules, beside);
      // `keysMerge` apart, what is left out beside does no harm by itself here.
      expect(explore(given, others).found).toBe(undefined);
      const { found } = explore(given, leaveOut(others, without));
      expect(found?.wrong).toBe(wrong);
      await annotate(found?.trace.join("\n") ?? "");
    });
  }

  test("no rule is left out of this list", () => {
    const listed = new Set(broken.flatMap(({ without }) => without));
    expect(Object.keys(allRules).filter((rule) => !listed.has(rule as keyof Rules))).toEqual([]);
  });
});

function leaveOut(rules: Rules, names: readonly (keyof Rules)[]): Rules {
  return { ...rules, ...Object.fromEntries(names.map((name) => [name, false])) };
}
