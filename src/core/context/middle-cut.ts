/** Shortens a text in its middle: what stands at the start and at the end is mostly what matters. */

import { headOf, tailOf } from "../text.ts";

/** At most about `units` UTF-16 units beside a mark that says how much is missing; whole characters only. */
export function cutMiddle(text: string, units: number): string {
  if (text.length <= units) return text;
  const head = headOf(text, Math.ceil(units / 2));
  const tail = tailOf(text, Math.floor(units / 2));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}
