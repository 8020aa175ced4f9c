/** A reply as people may see it: nothing in it that is not stored yet holds a secret. Pure. */

import type { ShownMask } from "../mask-shown.ts";
import { isBlank } from "../text.ts";
import type { ReplyDocument, RoundText } from "./document.ts";

/**
 * What was stored is masked already, and stays the same. While a round is written the end of its text may wait; where that is all that it
 * says so far it is thinking still. Nobody waits for a tool to see the end of what was said before it.
 */
export function masked(document: ReplyDocument, mask: ShownMask): ReplyDocument {
  const { current, activity, offers } = document;
  const isWriting = document.outcome === undefined && activity.kind === "writing";
  const last = document.rounds.at(-1);
  const rounds = document.rounds.map((said): RoundText => {
    if (isWriting && said.round === current) return { ...said, text: mask.growing(said.text) };
    const isBroken = said === last && hasBrokenOff(document);
    return { ...said, text: isBroken ? mask.brokenOff(said.text) : mask.whole(said.text) };
  });
  const steps = document.steps.map((step) =>
    step.progress === undefined ? step : { ...step, progress: mask.whole(step.progress) },
  );
  const shown = { ...document, rounds, steps };
  return {
    ...shown,
    ...(isWriting && isWaiting(document, shown) ? { activity: { kind: "thinking" } } : {}),
    ...(offers === undefined
      ? {}
      : { offers: offers.map((offer) => ({ ...offer, markdown: mask.whole(offer.markdown) })) }),
  };
}

function hasBrokenOff({ outcome }: ReplyDocument): boolean {
  return outcome !== undefined && outcome.reason !== "stop" && outcome.reason !== "waiting";
}

/** Whether the round under way has words, and none that can be seen. */
function isWaiting(document: ReplyDocument, shown: ReplyDocument): boolean {
  const said = document.rounds.at(-1);
  const seen = shown.rounds.at(-1);
  return said !== undefined && seen !== undefined && !isBlank(said.text) && isBlank(seen.text);
}
