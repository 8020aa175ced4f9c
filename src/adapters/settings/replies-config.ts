/** The part of `bobbin.config.ts` that says what people see of a reply besides its answer. */

import { z } from "zod";
import type { Address } from "../../core/access/rules.ts";
import { DEFAULT_RULES, FOOTERS, type ReplyRules, type ReplyWishes } from "../../core/reply/view.ts";
import { VERBOSITIES } from "../../core/verbosity.ts";
import { address } from "./access-config.ts";

export interface RepliesInput extends ReplyWishesInput {
  /**
   * What single channels want otherwise, by addresses such as `slack:T1:C1`; `*` is any. Of several that mean a channel the later
   * one counts, and a thread counts as its channel.
   */
  readonly channels?: Readonly<Record<Address, ReplyWishesInput>>;
}

interface ReplyWishesInput {
  /**
   * What is shown of tools. Default `quiet`: one line while they run; `steps`: a line for each step, which stays; `full`: also what
   * each was given, for everybody in the channel to read.
   */
  readonly verbosity?: ReplyWishes["verbosity"];
  /** Below an answer. Default `short`: steps, time, tokens and cost; `full`: also what came from the cache, and the model; `off`. */
  readonly footer?: ReplyWishes["footer"];
  /** Whether people are asked if an answer was good. Default true. */
  readonly feedback?: boolean;
}

const wishes = {
  verbosity: z.enum(VERBOSITIES, `must be ${listed(VERBOSITIES)}`).optional(),
  footer: z.enum(FOOTERS, `must be ${listed(FOOTERS)}`).optional(),
  feedback: z.boolean().optional(),
};

export const repliesSchema = z.strictObject({
  ...wishes,
  channels: z.record(address, z.strictObject(wishes)).optional(),
});

/** @param input was checked. */
export function repliesOf({ channels = {}, ...everywhere }: RepliesInput): ReplyRules {
  return {
    ...DEFAULT_RULES,
    ...wishesOf(everywhere),
    channels: Object.entries(channels).map(([at, wanted]) => [at, wishesOf(wanted)] as const),
  };
}

/** Without what is there but undefined, which a spread would let win over a default. */
function wishesOf({ verbosity, footer, feedback }: ReplyWishesInput): ReplyWishes {
  return {
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(footer === undefined ? {} : { footer }),
    ...(feedback === undefined ? {} : { feedback }),
  };
}

function listed(words: readonly string[]): string {
  return `${words
    .slice(0, -1)
    .map((word) => `"${word}"`)
    .join(", ")} or "${words.at(-1)}"`;
}
