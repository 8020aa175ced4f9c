/** The part of `bobbin.config.ts` that says how long what is kept. */

import { z } from "zod";
import type { RetentionDays, RetentionRules } from "../../core/admin/retention.ts";
import { RETAINED } from "../../core/ports/retention.ts";

interface RetentionDaysInput {
  /** Threads that nobody has touched for so many days, with all that was said in them. Default for ever. */
  readonly conversations?: number;
  /** What tools gave back, in full, in days. Default for ever. */
  readonly toolResults?: number;
  /** What requests to models are built again from, in days. Default for ever. */
  readonly modelRequests?: number;
  /** Lines of the audit log, in days. Default for ever. */
  readonly audit?: number;
}

export interface RetentionInput extends RetentionDaysInput {
  /** What differs in a space, such as `slack:T1`. */
  readonly spaces?: Readonly<Record<string, RetentionDaysInput>>;
}

const days = Object.fromEntries(
  RETAINED.map((kind) => [kind, z.number().positive("must be above zero days").optional()]),
) as Record<(typeof RETAINED)[number], z.ZodOptional<z.ZodNumber>>;

const space = z
  .string()
  .regex(
    /^(?:slack|discord|web):[A-Za-z0-9._-]{1,64}$/,
    "must be a space such as slack:T1, discord:123 or web:local",
  );

export const retentionSchema = z.strictObject({
  ...days,
  spaces: z.record(space, z.strictObject(days)).optional(),
});

/** @param input was checked. */
export function retentionOf({ spaces = {}, ...everywhere }: RetentionInput): RetentionRules {
  const of = Object.entries(spaces).map(([at, given]) => [at, givenIn(given)] as const);
  return { everywhere: givenIn(everywhere), spaces: Object.fromEntries(of) };
}

/** Without what is there but undefined, which a spread would let win. */
function givenIn(input: RetentionDaysInput): RetentionDays {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
