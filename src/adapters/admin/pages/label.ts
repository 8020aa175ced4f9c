/** What a thread is called here: of one that needs a reason no word is shown before it is opened. */

import type { Overview } from "../../../core/ports/overviews.ts";

export function labelShown({
  label,
  isDirect,
  isPrivate,
  firstName,
}: Pick<Overview, "label" | "isDirect" | "isPrivate" | "firstName">): string {
  if (isDirect) return `Direct conversation of ${firstName ?? "somebody"}`;
  return isPrivate ? `Thread of ${firstName ?? "somebody"} in a private channel` : label;
}
