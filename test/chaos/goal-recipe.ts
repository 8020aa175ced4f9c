// What each goal of a chaos run is made of, by its number alone: how many turns it needs, what each of them does, how people word it.
import { randomOf } from "./random.ts";
import type { Order } from "./recipe.ts";

export interface GoalRecipe {
  /** What each turn orders; in the last one the goal is reached. */
  readonly turns: readonly (readonly Order[])[];
  /** It is never reached: each turn names the same obstacle. */
  readonly isStuck: boolean;
  /** The turn behind which it waits for a person, counted from 1. */
  readonly waitsAfter: number | undefined;
  /** Behind its text; a budget that it cannot keep to is among them. */
  readonly options: string;
}

/** What each model call of a chaos run takes, as its provider says. */
export const TOKENS_PER_CALL = 1_000;

export function goalRecipeOf(seed: number, tag: number): GoalRecipe {
  const random = randomOf(seed, `goal ${tag}`);
  const isStuck = random.chance(0.1);
  const count = isStuck ? 6 : random.between(1, 9);
  let orders = 0;
  return {
    turns: Array.from({ length: count }, () =>
      Array.from({ length: random.between(1, 2) }, () => ({
        id: `goal${tag}-${++orders}`,
        tool: random.weighted({ look_up: 1, book_seat: 3, send_parcel: 1 }),
      })),
    ),
    isStuck,
    waitsAfter: random.chance(0.2) ? random.between(1, count) : undefined,
    options: random.weighted({ "": 5, " --turns 2": 2, " --tokens 4k": 4 }),
  };
}

export const objectiveOf = (seed: number, tag: number): string =>
  `work on goal-${tag}${goalRecipeOf(seed, tag).options}`;

/** Of a text that the product made for a goal's own turn. `isWithin`: what the turn under way is told of a change. */
export function goalTurnIn(
  text: string,
): { readonly tag: number; readonly isLast: boolean; readonly isWithin: boolean } | undefined {
  const tag = /<objective>[^<]*\bgoal-(\d+)\b/.exec(text)?.[1];
  if (tag === undefined) return undefined;
  return { tag: Number(tag), isLast: /is used up/.test(text), isWithin: /changed while you work/.test(text) };
}
