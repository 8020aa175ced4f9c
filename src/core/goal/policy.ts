/** What a team lets goals do, and how fast: by default, and in single spaces and channels. Pure. */

import { isListed, type Address } from "../access/rules.ts";
import type { Where } from "../inbound.ts";
import { formatDuration, formatTokens } from "../measure.ts";
import { threadOf, type SessionId } from "../thread.ts";
import { DEFAULT_LIMITS, MINUTE_MS } from "./goal.ts";
import type { Limits } from "./limits.ts";

export interface GoalPolicy {
  /** Whether threads there may have goals. */
  readonly allow: boolean;
  /** What a goal may use where nobody says otherwise. */
  readonly limits: Limits;
  /** What it may use at most, whatever is written, and however often it is raised. */
  readonly most: Limits;
  /** Least time from the end of one of its turns to the next one, ms. */
  readonly gapMs: number;
  /** Whether somebody else looks before a goal counts as reached or blocked; absent: where there is a cheap model for it. */
  readonly verify?: boolean;
}

export interface GoalRules extends GoalPolicy {
  /** Turns of goals that run at the same time in one space. */
  readonly atOnce: number;
  /** What differs in a space or in a channel; where several fit, a channel's counts before a space's, and a later one before an earlier one. */
  readonly places: readonly GoalPlace[];
}

export interface GoalPlace extends Partial<Omit<GoalPolicy, "limits" | "most">> {
  readonly place: Address;
  readonly limits?: Partial<Limits>;
  readonly most?: Partial<Limits>;
  /** Only of a space. */
  readonly atOnce?: number;
}

export const DEFAULT_GOAL_RULES: GoalRules = {
  allow: true,
  limits: DEFAULT_LIMITS,
  most: { tokens: 5_000_000, turns: 200, minutes: 600 },
  gapMs: 1_000,
  atOnce: 10,
  places: [],
};

/** The rules as those use them who ask for one session. */
export interface GoalPolicies {
  at(session: SessionId, where?: Where): GoalPolicy;
  /** Turns of goals that may run at once in the space of this session. */
  atOnceIn(session: SessionId): number;
}

export function createGoalPolicies(rules: GoalRules): GoalPolicies {
  return {
    at: (session, where) => goalPolicyAt(rules, session, where),
    atOnceIn: (session) => goalsAtOnceIn(rules, session),
  };
}

/** @param where a thread that is a channel of its own counts as the one in which it hangs. */
function goalPolicyAt(rules: GoalRules, session: SessionId, where?: Where): GoalPolicy {
  const { platform, space, channel } = threadOf(session);
  const at = `${platform}:${space}`;
  return placesAt(rules, [at, `${at}:${where?.parent ?? channel}`]).reduce<GoalPolicy>(
    (policy, { allow = policy.allow, gapMs = policy.gapMs, verify = policy.verify, limits, most }) => ({
      allow,
      gapMs,
      ...(verify === undefined ? {} : { verify }),
      limits: { ...policy.limits, ...limits },
      most: { ...policy.most, ...most },
    }),
    rules,
  );
}

function goalsAtOnceIn(rules: GoalRules, session: SessionId): number {
  const { platform, space } = threadOf(session);
  return placesAt(rules, [`${platform}:${space}`]).at(-1)?.atOnce ?? rules.atOnce;
}

function placesAt({ places }: GoalRules, addresses: readonly Address[]): readonly GoalPlace[] {
  return addresses.flatMap((address) => places.filter(({ place }) => isListed([place], address)));
}

/** Why a goal may not use so much there; undefined where it may. */
export function refusalOfLimits(limits: Limits, { most }: Pick<GoalPolicy, "most">): string | undefined {
  for (const key of ["tokens", "turns", "minutes"] as const)
    if (limits[key] > most[key]) return `A goal may use at most ${SHOWN[key](most[key])} here.`;
  return undefined;
}

const SHOWN: Readonly<Record<keyof Limits, (amount: number) => string>> = {
  tokens: formatTokens,
  turns: (amount) => `${amount} turns`,
  minutes: (amount) => formatDuration(amount * MINUTE_MS),
};

export const GOALS_OFF = "Goals are switched off here. An admin can allow them in `bobbin.config.ts`.";
