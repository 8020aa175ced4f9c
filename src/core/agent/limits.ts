/** Limits of a run: defaults and checks. Every run is bounded by default. */

import type { Limits } from "./loop-types.ts";

export const DEFAULT_LIMITS: Limits = {
  maxTurns: 20,
  runMs: 10 * 60_000,
  modelCallMs: 180_000,
  toolCallMs: 2 * 60_000,
  toolResultBytes: 40_000,
};

const MAY_BE_INFINITE: ReadonlySet<string> = new Set<keyof Limits>(["toolCallMs", "toolResultBytes"]);

/**
 * A copy with the defaults filled in.
 * @throws RangeError that names the limit when it is zero, negative, no number, or infinite where a cap has to be.
 */
export function checkLimits(given: Partial<Limits> = {}): Limits {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits: Limits = { ...DEFAULT_LIMITS, ...Object.fromEntries(known) };
  for (const [name, value] of Object.entries(limits)) {
    if (!(name in DEFAULT_LIMITS)) throw new RangeError(`limits.${name} is no limit`);
    checkPositive(`limits.${name}`, value, MAY_BE_INFINITE.has(name) ? "may be Infinity" : "is finite");
  }
  if (!Number.isInteger(limits.maxTurns)) {
    throw new RangeError(`limits.maxTurns has to be a whole number, not ${limits.maxTurns}`);
  }
  return limits;
}

/** @throws RangeError that names the option. */
export function checkPositive(name: string, value: unknown, bound: "may be Infinity" | "is finite"): void {
  if (typeof value !== "number" || Number.isNaN(value) || value <= 0) {
    throw new RangeError(`${name} has to be a number above zero, not ${String(value)}`);
  }
  if (value === Number.POSITIVE_INFINITY && bound === "is finite") {
    throw new RangeError(`${name} cannot be Infinity: it needs a cap`);
  }
}
