/** How a reply ends for the people who read it: why, what to do next, and what it took. Pure. */

import { END_REASONS, type ReasonMeaning } from "../end-reason.ts";
import type { Offer } from "../entry.ts";
import type { EndReason } from "../events.ts";
import { BobbinError, sentenceFor } from "../errors.ts";
import type { RunId } from "../ids.ts";
import { formatDuration, formatMoney, formatTokens } from "../measure.ts";
import type { Outcome } from "../run.ts";
import type { Button } from "../ports/surface.ts";
import { cachedShare, totalTokens } from "../usage.ts";
import type { ReplyDocument } from "./document.ts";
import type { FooterDetail, ReplyView } from "./view.ts";

/** `why` is absent after a plain `stop`, where nothing needs to be said. */
export type Explanation = Partial<ReasonMeaning> & Pick<ReasonMeaning, "canRetry">;

/** Ends that nobody has to look up. */
const ASKED_FOR: ReadonlySet<EndReason> = new Set(["stop", "waiting", "cancelled"]);

/**
 * What each reason means. The next step after trouble names the run, so that an admin can look it up; a time limit that an
 * error explains (a model that said nothing) is told as that error.
 */
export function explanationOf(
  document: Pick<ReplyDocument, "run" | "isTriedAgain">,
  outcome: Ended,
): Explanation {
  const explanation = meaningOf(document.run, outcome);
  if (!document.isTriedAgain) return explanation;
  return { ...explanation, next: "It is tried again below.", canRetry: false };
}

type Ended = Pick<Outcome, "reason" | "error">;

function meaningOf(run: RunId, outcome: Ended): Explanation {
  const meaning = END_REASONS[outcome.reason];
  if (outcome.reason === "stop") return { canRetry: meaning.canRetry };
  const isExplained = outcome.reason === "timeout" && outcome.error !== undefined;
  if (outcome.reason !== "error" && !isExplained) {
    return ASKED_FOR.has(outcome.reason) || meaning.next === undefined
      ? meaning
      : { ...meaning, next: meaning.next.replace(/\.$/, ` (run ${run}).`) };
  }
  const error = new BobbinError(
    outcome.error?.code ?? "panic",
    outcome.error?.message ?? "no error was given",
  );
  return { why: sentenceFor(error), next: `Retry starts it again (run ${run}).`, canRetry: meaning.canRetry };
}

/** Stands in the place of an answer that says nothing, since a blank page is never sent. */
export function blankNotice(document: ReplyDocument): string {
  if (document.pictures !== undefined || document.rounds.some((round) => round.images > 0)) {
    return "The answer is only an image, and it could not be shown here.";
  }
  return "The model gave an empty answer. Please ask again, perhaps in other words.";
}

/**
 * `4 steps · 12 s · 1,204 tokens · $0.013`, and with all of it `… · 1,204 tokens (62 % cached) · $0.013 · gpt-5-mini`: what was not
 * reported is left out. Empty where nothing is wanted.
 */
export function footerOf(document: ReplyDocument, outcome: Outcome, detail: FooterDetail): string {
  if (detail === "off") return "";
  const { steps, usage, model } = document;
  const isFull = detail === "full";
  const tokens = totalTokens(usage);
  const cached = isFull ? cachedShare(usage) : undefined;
  const parts = [
    steps.length === 0 ? undefined : `${steps.length} ${steps.length === 1 ? "step" : "steps"}`,
    formatDuration(outcome.endedAt - document.startedAt),
    tokens === undefined
      ? undefined
      : `${formatTokens(tokens)}${cached === undefined ? "" : ` (${Math.round(cached * 100)} % cached)`}`,
    usage.cost === undefined ? undefined : formatMoney(usage.cost),
    isFull && (document.rounds.length > 0 || tokens !== undefined) ? model : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** Whether it ended in a way that nobody wanted. Who stops it wants just that, and what is tried again is past. */
export function isTrouble(document: ReplyDocument): boolean {
  const { outcome } = document;
  if (outcome === undefined || outcome.reason === "cancelled") return false;
  return explanationOf(document, outcome).canRetry;
}

/**
 * Stop while it runs, Retry after a failure, what was offered, Details where there is more to tell than the answer, and what people
 * think of it. All but the offer carry the run; there is none once it is tried again.
 */
export function buttonsOf(
  document: ReplyDocument,
  { feedback }: Pick<ReplyView, "feedback">,
): readonly Button[] {
  const { outcome, run: value, steps } = document;
  if (outcome === undefined) return [{ action: "stop", label: "Stop", value }];
  if (document.isTriedAgain) return [];
  const { canRetry } = explanationOf(document, outcome);
  const isAnswer = !canRetry && document.rounds.length > 0;
  const offer = offerOf(document);
  return [
    ...(canRetry ? [{ action: "retry", label: "Retry", value } as const] : []),
    ...(offer === undefined ? [] : [offer.button]),
    ...(canRetry || steps.length > 0 ? [{ action: "details", label: "Details", value } as const] : []),
    ...(feedback && isAnswer
      ? [
          { action: "good", label: "Good answer", value } as const,
          { action: "bad", label: "Bad answer", value } as const,
        ]
      : []),
  ];
}

/** The newest one; what is tried again offers anew. */
export function offerOf({
  offers = [],
  isTriedAgain,
}: Pick<ReplyDocument, "offers" | "isTriedAgain">): Offer | undefined {
  return isTriedAgain === true ? undefined : offers.at(-1);
}
