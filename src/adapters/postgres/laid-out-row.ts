/** How a settled reply was laid out, as it is stored with its run. */

import type { LaidOutAs } from "../../core/reply/laid-out-as.ts";
import { VERBOSITIES } from "../../core/verbosity.ts";
import { fieldsOf } from "./stored-json.ts";

/** What a later version may have stored, and this one does not know, counts as not known. */
export function toLaidOut(stored: unknown): LaidOutAs | undefined {
  if (stored === null) return undefined;
  const { verbosity, pages } = fieldsOf(stored, "laid_out");
  const known = VERBOSITIES.find((each) => each === verbosity);
  const all: readonly unknown[] = Array.isArray(pages) ? pages : [undefined];
  const lengths = all.filter((length) => typeof length === "number");
  return known === undefined || lengths.length < all.length
    ? undefined
    : { verbosity: known, pages: lengths };
}
