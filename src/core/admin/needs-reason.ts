/** Which threads somebody opens only who says why: they were not written for everybody. */

import type { Overview } from "../ports/overviews.ts";

export function needsReason({ isDirect }: Pick<Overview, "isDirect">): boolean {
  return isDirect;
}
