/** A goal as the one message that shows it. It says no time that is counted from now, so it is the same whenever it is laid out. Pure. */

import { formatDuration, formatTokens } from "../measure.ts";
import type { Button, PageContent } from "../ports/surface.ts";
import { beginningOf, plain as plainWords, quotedLines } from "../plain-text.ts";
import { clipped } from "../text.ts";
import {
  exhausted,
  goesOn,
  reserveOf,
  type Closing,
  type Goal,
  type PauseReason,
  type Windows,
} from "./goal.ts";
import { goalRef, RAISES } from "./ref.ts";

const OBJECTIVE_UNITS = 300;
const LINE_UNITS = 200;
const MOST_LINES = 5;
/** From this share of a window on it may be raised before it is used up. */
const NEARLY = 0.8;

export function cardOf(goal: Goal): PageContent {
  const why = reasonOf(goal);
  const checks = goal.closed === undefined ? checksOf(goal) : undefined;
  return {
    isCard: true,
    markdown: [
      `**Goal ${standingIn(goal)}**`,
      ...(why === undefined ? [] : [why]),
      quotedLines(clipped(goal.objective, OBJECTIVE_UNITS)),
      ...(checks === undefined ? [] : [checks]),
    ].join("\n\n"),
    footer: spentLine(goal),
    buttons: buttonsOf(goal),
  };
}

/** Where it stands, in a word: a card that somebody deleted comes back only when this is another one. */
export function cardStanding({ closed, status, wait }: Goal): string {
  return closed ?? (status === "waiting" ? `waiting-${wait?.kind ?? "time"}` : status);
}

/** Behind the word "Goal". */
function standingIn(goal: Goal): string {
  const { closed, status, windows, next, wait, updatedAt } = goal;
  if (closed !== undefined) return CLOSED[closed];
  const { used, limit } = windows.turns;
  switch (status) {
    case "active":
      return next !== undefined && next.dueAt > updatedAt
        ? `· turn ${next.n} of ${limit} begins at ${momentOf(next.dueAt)}`
        : `· working, turn ${Math.max(1, next?.n ?? used)} of ${limit}`;
    case "waiting": {
      const until = wait === undefined ? "" : momentOf(wait.until);
      return wait === undefined || wait.kind === "time"
        ? `· waits until ${until}`
        : `· waits for a ${wait.kind === "webhook" ? "call" : wait.kind}, until ${until} at most`;
    }
    case "paused":
      return "· paused";
    case "blocked":
      return "· blocked";
    case "budget_limited":
      return BUDGET[windowOf(goal)];
    case "usage_limited":
      return next === undefined
        ? "· held up by the model's provider"
        : `· held up by the model's provider, tries again at ${momentOf(next.dueAt)}`;
    case "complete":
      return "· reached";
    default:
      return status satisfies never;
  }
}

const CLOSED: Readonly<Record<Closing, string>> = {
  complete: "· reached",
  cleared: "· ended",
  replaced: "· ended: another one took its place",
  reset: "· ended: the thread began anew",
  left: "· ended: the bot left",
  gone: "· ended: the thread is not there any more",
};

const BUDGET: Readonly<Record<keyof Windows, string>> = {
  tokens: "· its tokens are used up",
  turns: "· its turns are used up",
  activeMs: "· its minutes are used up",
};

const PAUSED: Readonly<Record<PauseReason, string>> = {
  no_progress: "Three turns in a row had no effect.",
  interrupted: "It was stopped.",
  error: "Three turns in a row failed.",
  owner_left: "Whose goal it is, is not here any more. An admin may resume it.",
  no_access: "Whose goal it is may not use the bot here any more. An admin may resume it.",
  not_allowed: "Goals were switched off here.",
  archived: "This thread was archived.",
};

/** Why it stands as it does, in the words of whoever brought it there. */
function reasonOf(goal: Goal): string | undefined {
  const { closed, status, reason, wait, evidence, objection, failures, noEffect } = goal;
  if (closed !== undefined && closed !== "complete") return undefined;
  switch (status) {
    case "waiting":
      return wait === undefined ? undefined : plain(clipped(wait.reason, LINE_UNITS));
    case "paused":
      return reason === undefined ? undefined : PAUSED[reason];
    case "blocked":
    case "complete":
      return evidence === undefined ? undefined : plain(clipped(evidence, LINE_UNITS));
    case "active":
      if (objection !== undefined)
        return `The check does not agree yet: ${plain(clipped(objection, LINE_UNITS))}`;
      if (failures > 0) return "The last turn failed; it is tried again.";
      return noEffect > 0 ? "The last turn had no effect." : undefined;
    case "budget_limited":
    case "usage_limited":
      return undefined;
    default:
      return status satisfies never;
  }
}

function checksOf({ doneWhen }: Goal): string | undefined {
  if (doneWhen === undefined || doneWhen.length === 0) return undefined;
  const lines = doneWhen.slice(0, MOST_LINES).map((line) => `- ${plain(clipped(line, LINE_UNITS))}`);
  const more = doneWhen.length - lines.length;
  return ["Done when:", ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** `3 of 20 turns · 12,345 of 500,000 tokens · 4 min of 1 h · for Ana` */
function spentLine({ windows: { tokens, turns, activeMs }, owner }: Goal): string {
  const used = formatTokens(tokens.used).replace(/ tokens?$/, "");
  return [
    `${turns.used} of ${turns.limit} turns`,
    `${used} of ${formatTokens(tokens.limit)}`,
    `${activeMs.used < 1_000 ? "0 s" : formatDuration(inMinutes(activeMs.used))} of ${formatDuration(activeMs.limit)}`,
    `for ${owner.name}`,
  ].join(" · ");
}

/** Seconds of so much as a minute tell nobody anything. */
function inMinutes(ms: number): number {
  return ms < 60_000 ? Math.round(ms / 1_000) * 1_000 : Math.round(ms / 60_000) * 60_000;
}

/** The window that stands in the way, else the one that is nearest to its end. */
function windowOf(goal: Goal): keyof Windows {
  const gone = exhausted(goal, reserveOf(goal));
  if (gone !== undefined) return gone;
  const { tokens, turns, activeMs } = goal.windows;
  const shares = [
    ["tokens", tokens.used / tokens.limit],
    ["turns", turns.used / turns.limit],
    ["activeMs", activeMs.used / activeMs.limit],
  ] as const;
  return shares.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

const RAISE_LABELS: Readonly<Record<keyof Windows, string>> = {
  tokens: `${RAISES.tokens} tokens`,
  turns: RAISES.turns,
  activeMs: RAISES.activeMs,
};

/** Those that make sense now; none of a goal that is over, or is about to be. */
function buttonsOf(goal: Goal): readonly Button[] {
  if (goal.closed !== undefined || goal.status === "complete") return [];
  const isExhausted = exhausted(goal, reserveOf(goal)) !== undefined;
  const window = windowOf(goal);
  const { used, limit } = goal.windows[window];
  const value = goalRef(goal);
  const isGoing = goal.status === "active" || goal.status === "waiting";
  const raise: Button = { action: "raise", label: RAISE_LABELS[window], value: goalRef(goal, window) };
  return [
    ...(isGoing ? [{ action: "pause", label: "Pause", value } as const] : []),
    ...(goal.status === "waiting" ? [{ action: "resume", label: "Go on now", value } as const] : []),
    ...(!isGoing && !isExhausted
      ? [{ action: "resume", label: "Resume", value, style: "primary" } as const]
      : []),
    ...(isExhausted && !goesOn(goal) ? [{ ...raise, style: "primary" } as const] : []),
    ...(isGoing && used >= limit * NEARLY ? [raise] : []),
    { action: "edit", label: "Edit", value },
    {
      action: "clear",
      label: "End goal",
      value,
      style: "danger",
      confirm: "The goal ends for good. What it has done stays.",
    },
  ];
}

/** `14:30 UTC on 30 Nov` */
function momentOf(ms: number): string {
  const [, month = "01", day = "", time = ""] =
    /^\d+-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(new Date(ms).toISOString()) ?? [];
  return `${time} UTC on ${Number(day)} ${MONTHS[Number(month) - 1] ?? ""}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Words of people and of the model, as one line of ours. */
export function plain(text: string): string {
  return beginningOf(plainWords(text.replaceAll(/\s*[\r\n]+\s*/g, " ")));
}
