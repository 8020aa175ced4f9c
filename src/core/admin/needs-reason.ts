/** Which threads somebody opens only who says why: they were not written for everybody. */

import type { Overview } from "../ports/overviews.ts";

export function needsReason({ isDirect, isPrivate }: Pick<Overview, "isDirect" | "isPrivate">): boolean {
  return isDirect || isPrivate;
}
