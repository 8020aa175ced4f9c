// What each question of a chaos run asks of the model, by its number alone: the people, the model and the checker know the
// same, whatever is said, edited or repeated in between.
import { randomOf } from "./random.ts";

/** The agent's tools in a chaos run; what each call does is counted outside. */
export const TOOLS = { look_up: "read", book_seat: "write", send_parcel: "external" } as const;
export type ToolName = keyof typeof TOOLS;

export interface Order {
  /** `17-2`: the second thing that question 17 wants done. */
  readonly id: string;
  readonly tool: ToolName;
}

export interface Recipe {
  /** One batch of calls for each round before the answer. */
  readonly rounds: readonly (readonly Order[])[];
  /** Words of the answer between its first and its last. */
  readonly words: number;
}

export function recipeOf(seed: number, tag: number): Recipe {
  const random = randomOf(seed, `recipe ${tag}`);
  const rounds = Number(random.weighted({ "0": 3, "1": 4, "2": 2, "3": 1 }));
  let orders = 0;
  return {
    rounds: Array.from({ length: rounds }, () =>
      Array.from({ length: random.weighted({ one: 3, two: 1 }) === "two" ? 2 : 1 }, () => ({
        id: `${tag}-${++orders}`,
        tool: random.weighted({ look_up: 2, book_seat: 2, send_parcel: 1 }),
      })),
    ),
    // Now and then an answer of more than one page.
    words: random.chance(0.01) ? 2_500 : random.between(3, 60),
  };
}

/** As a person writes it. */
export const questionOf = (tag: number): string => `ask-${tag}`;
export const tagsIn = (text: string): number[] =>
  [...text.matchAll(/\bask-(\d+)\b/g)].map(([, tag]) => Number(tag));

/** The answer as the model writes it: whoever has all of it, in this order, has it whole. */
export function answerTo(tag: number, words: number): string[] {
  return [`begin${tag}`, ...Array.from({ length: words }, (_, at) => `w${at + 1}of${tag}`), `end${tag}`];
}
