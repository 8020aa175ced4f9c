/** What a thread is called here: of a conversation with the bot alone no word is shown before it is opened. */

import type { Overview } from "../../../core/ports/overviews.ts";

export function labelShown({
  label,
  isDirect,
  firstName,
}: Pick<Overview, "label" | "isDirect" | "firstName">): string {
  return isDirect ? `Direct conversation of ${firstName ?? "somebody"}` : label;
}
