/** The pacer of one process. */

import type { Clock } from "../../core/ports/clock.ts";
import type { Asking, Budget, Pacer } from "../../core/ports/pacer.ts";
import type { BudgetState } from "../../core/ports/watched.ts";
import {
  BINDING_MS,
  GRACE_MS,
  keptFree,
  LONGEST_DEBT_MS,
  longestWaitMs,
  URGENCIES,
} from "../../core/reply/pacing.ts";

export interface LocalPacerOptions {
  /** Others may write as well, and cannot be asked: this one takes so large a part of each budget. Default 1, all of it. */
  readonly share?: number;
}

export interface LocalPacer extends Pacer {
  /** Of how many budgets something is remembered. */
  readonly known: number;
  /** All of which something is remembered. */
  states(): readonly BudgetState[];
}

interface Place {
  readonly urgency: number;
  /** Ticks at which it came. */
  readonly since: number;
  /** Ticks after which nobody comes for it any more. */
  readonly until: number;
}

interface State {
  /** Ticks at which all places are free again. */
  free: number;
  /** Ticks until which everything keeps to the budget. */
  bindingUntil: number;
  readonly line: Map<string, Place>;
}

/** Budgets that have been quiet for so long that nothing need be known of them are forgotten at this number. */
const MOST_BUDGETS = 1_000;

export function createLocalPacer(clock: Pick<Clock, "ticks">, options: LocalPacerOptions = {}): LocalPacer {
  const { share = 1 } = options;
  const states = new Map<string, State>();

  function stateOf({ key }: Budget): State {
    const known = states.get(key) ?? { free: 0, bindingUntil: 0, line: new Map<string, Place>() };
    states.delete(key);
    if (states.size >= MOST_BUDGETS) forgetQuiet();
    states.set(key, known);
    return known;
  }

  function forgetQuiet(): void {
    const now = clock.ticks();
    for (const [key, { free, bindingUntil, line }] of states) {
      dropLapsed(line, now);
      if (Math.max(free, bindingUntil) < now && line.size === 0) states.delete(key);
    }
  }

  function ours(budget: Budget): Budget {
    if (share === 1) return budget;
    const burst = Math.max(1, Math.floor(budget.burst * share));
    return { ...budget, everyMs: Math.ceil(budget.everyMs / share), burst };
  }

  return {
    get known() {
      return states.size;
    },
    states() {
      const now = clock.ticks();
      return [...states].map(([key, { free, bindingUntil, line }]) => ({
        key,
        fullInMs: Math.max(0, free - now),
        bindsForMs: Math.max(0, bindingUntil - now),
        line: [...line.values()].filter(({ until }) => until >= now).length,
      }));
    },
    take(whole, asking) {
      const budget = ours(whole);
      return Promise.resolve(takeFrom(stateOf(budget), budget, asking, clock.ticks()));
    },
    leave(budget, who) {
      states.get(budget.key)?.line.delete(who);
      return Promise.resolve();
    },
    hold(whole, forMs) {
      const { everyMs, burst } = ours(whole);
      const state = stateOf(whole);
      const now = clock.ticks();
      const opens = now + forMs;
      // What was written beyond the budget is forgotten: the platform has said itself how long it wants nothing.
      const isFirst = state.bindingUntil <= now;
      const free = isFirst ? Math.min(state.free, now + burst * everyMs) : state.free;
      state.free = Math.max(free, opens + (burst - 1) * everyMs);
      state.bindingUntil = Math.max(state.bindingUntil, opens + BINDING_MS);
      return Promise.resolve();
    },
  };
}

function takeFrom(state: State, budget: Budget, { who, urgency }: Asking, now: number): number {
  const { everyMs, burst, isLeast } = budget;
  const { line } = state;
  dropLapsed(line, now);
  const known = line.get(who);
  const asked = { urgency: URGENCIES.indexOf(urgency), since: now };
  const own = known !== undefined && isBefore(known, asked) ? known : asked;
  let before = 0;
  for (const place of line.values()) if (isBefore(place, own)) before++;
  const free = Math.max(state.free, now);
  const waitMs = free + (1 + before + keptFree(budget, urgency)) * everyMs - now - burst * everyMs;
  const isFree = isLeast === true && urgency !== "progress" && state.bindingUntil <= now;
  if (waitMs <= 0 || isFree) {
    line.delete(who);
    state.free = Math.max(free, Math.min(free + everyMs, now + burst * everyMs + LONGEST_DEBT_MS));
    return 0;
  }
  const toldMs = Math.min(Math.ceil(waitMs), longestWaitMs(urgency));
  line.set(who, { ...own, until: now + toldMs + GRACE_MS });
  return toldMs;
}

function dropLapsed(line: Map<string, Place>, now: number): void {
  for (const [who, { until }] of line) if (until < now) line.delete(who);
}

function isBefore(one: Omit<Place, "until">, other: Omit<Place, "until">): boolean {
  return one.urgency < other.urgency || (one.urgency === other.urgency && one.since < other.since);
}
