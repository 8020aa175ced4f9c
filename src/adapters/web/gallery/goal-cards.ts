/** The cards of goals for the gallery, one for each standing that a goal can have. */

import { cardOf } from "../../../core/goal/card.ts";
import type { Goal } from "../../../core/goal/goal.ts";
import type { PageContent } from "../../../core/ports/surface.ts";

const AT = Date.UTC(2026, 0, 15, 9, 30);
const LATER = AT + 90 * 60_000;

const ACTIVE: Goal = {
  v: 1,
  id: "g1",
  owner: { id: "u1", name: "Ana" },
  objective: "Get every check of the release green, and say in this thread what was wrong with each of them.",
  doneWhen: ["all checks on the board are green", "the note for support names what changed"],
  revision: 1,
  generation: 1,
  status: "active",
  windows: {
    tokens: { used: 61_240, limit: 500_000 },
    turns: { used: 3, limit: 20 },
    activeMs: { used: 252_000, limit: 3_600_000 },
  },
  turns: 3,
  noEffect: 0,
  failures: 0,
  told: 1,
  seen: [],
  createdAt: AT,
  updatedAt: AT,
};

const states: readonly (readonly [id: string, title: string, change: Partial<Goal>])[] = [
  ["active", "at work", {}],
  ["failed-turn", "at work, after a turn that failed", { failures: 1 }],
  [
    "waits-for-time",
    "waits until a time",
    {
      status: "waiting",
      wait: { kind: "time", until: LATER, reason: "The nightly build has to end first." },
    },
  ],
  [
    "waits-for-reply",
    "waits for a reply",
    {
      status: "waiting",
      wait: { kind: "reply", until: LATER, reason: "Which of the two <versions> is it: *1.4* or 1.5?" },
    },
  ],
  ["paused", "paused, since nothing came of it", { status: "paused", reason: "no_progress" }],
  [
    "blocked",
    "blocked",
    { status: "blocked", evidence: "The token for the build server has expired, and only an admin has it." },
  ],
  [
    "used-up",
    "its turns are used up",
    { status: "budget_limited", windows: { ...ACTIVE.windows, turns: { used: 20, limit: 20 } } },
  ],
  ["limited", "held up by the provider", { status: "usage_limited" }],
  [
    "reached",
    "reached",
    { status: "complete", closed: "complete", evidence: "All 14 checks are green since 09:12." },
  ],
  ["ended", "ended by a person", { status: "paused", closed: "cleared" }],
];

export const GOAL_CARDS: readonly {
  readonly id: string;
  readonly title: string;
  readonly page: PageContent;
}[] = states.map(([id, title, change]) => ({
  id: `goal-${id}`,
  title: `Goal: ${title}`,
  page: cardOf({ ...ACTIVE, ...change }),
}));
