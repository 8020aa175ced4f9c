/** The part of `bobbin.config.ts` that says what goals may do: as people write it, checked, and with its defaults filled in. */

import { z } from "zod";
import type { Address } from "../../core/access/rules.ts";
import { DEFAULT_GOAL_RULES, type GoalPlace, type GoalRules } from "../../core/goal/policy.ts";

interface WindowsInput {
  /** Default 500,000; at most 5,000,000. */
  readonly tokens?: number;
  /** Turns that it begins by itself. Default 20; at most 200. */
  readonly turns?: number;
  /** In which a turn runs. Default 60; at most 600. */
  readonly minutes?: number;
}

export interface GoalPlaceInput extends WindowsInput {
  /** Whether threads may have goals. Default true. */
  readonly allow?: boolean;
  /** What a person may give or raise it to. */
  readonly most?: WindowsInput;
  /** Least time from the end of one turn of a goal to its next one, ms. Default 1,000. */
  readonly gapMs?: number;
  /**
   * Whether a model looks before a goal counts as reached or blocked. Default: where `LITE_MODEL` is set. With true and without that
   * setting, `MODEL` looks.
   */
  readonly verify?: boolean;
  /** Turns of goals that run at the same time in one space. Default 10. */
  readonly atOnce?: number;
}

export interface GoalsInput extends GoalPlaceInput {
  /**
   * What differs in a space (`slack:T1`) or a channel (`slack:T1:C1`); `*` stands for any part but the first. A channel's counts before a
   * space's, and a later one before an earlier one. `atOnce` is of spaces only.
   */
  readonly places?: Readonly<Record<Address, GoalPlaceInput>>;
}

const count = z.int().positive("must be above zero");
const windows = {
  tokens: count.optional(),
  turns: count.optional(),
  minutes: z.number().positive().optional(),
};
const place = {
  ...windows,
  allow: z.boolean().optional(),
  most: z.strictObject(windows).optional(),
  gapMs: z.int().nonnegative("must not be below zero").optional(),
  verify: z.boolean().optional(),
  atOnce: count.optional(),
};
const PLACE = /^(?:slack|discord|web):(?:\*|[A-Za-z0-9._-]{1,64})(?::(?:\*|[A-Za-z0-9._-]{1,64}))?$/;

export const goalsSchema = z
  .strictObject({
    ...place,
    places: z.record(z.string(), z.strictObject(place)).optional(),
  })
  .superRefine((input, context) => {
    const given = input as GoalsInput;
    const { limits, most } = goalsOf(given);
    aboveMost({ ...limits }, { ...most }, []);
    for (const [address, one] of Object.entries(given.places ?? {})) {
      const at = ["places", address];
      if (!PLACE.test(address))
        context.addIssue({
          code: "custom",
          path: at,
          message: "must be a space such as slack:T1, or a channel such as slack:T1:C1",
        });
      const { atOnce, most: mostHere } = one;
      const changed = Object.keys({ ...windowsIn(one), ...windowsIn(mostHere) });
      const here = Object.entries({ ...limits, ...windowsIn(one) }).filter(([name]) =>
        changed.includes(name),
      );
      aboveMost(Object.fromEntries(here), { ...most, ...windowsIn(mostHere) }, at);
      if (atOnce !== undefined && address.split(":").length > 2)
        context.addIssue({
          code: "custom",
          path: [...at, "atOnce"],
          message: "counts for a whole space: set it at the space, such as slack:T1",
        });
    }

    function aboveMost(
      of: Readonly<Record<string, number>>,
      ceiling: Readonly<Record<string, number>>,
      at: readonly string[],
    ): void {
      for (const [name, value] of Object.entries(of))
        if (value > (ceiling[name] ?? Infinity))
          context.addIssue({
            code: "custom",
            path: [...at, name],
            message: `is ${value}, above most.${name}, which is ${ceiling[name]}: lower it, or raise most.${name}`,
          });
    }
  });

/** @param input was checked. */
export function goalsOf(input: GoalsInput): GoalRules {
  const byDefault = DEFAULT_GOAL_RULES;
  return {
    allow: input.allow ?? byDefault.allow,
    limits: { ...byDefault.limits, ...windowsIn(input) },
    most: { ...byDefault.most, ...windowsIn(input.most) },
    gapMs: input.gapMs ?? byDefault.gapMs,
    ...(input.verify === undefined ? {} : { verify: input.verify }),
    atOnce: input.atOnce ?? byDefault.atOnce,
    places: Object.entries(input.places ?? {}).map(([address, one]): GoalPlace => {
      const { allow, gapMs, verify, atOnce, most } = one;
      return {
        place: address,
        limits: windowsIn(one),
        most: windowsIn(most),
        ...(allow === undefined ? {} : { allow }),
        ...(gapMs === undefined ? {} : { gapMs }),
        ...(verify === undefined ? {} : { verify }),
        ...(atOnce === undefined ? {} : { atOnce }),
      };
    }),
  };
}

function windowsIn({ tokens, turns, minutes }: WindowsInput = {}): Partial<GoalRules["limits"]> {
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(turns === undefined ? {} : { turns }),
    ...(minutes === undefined ? {} : { minutes }),
  };
}
