/** What the commands that only read say, in plain markdown. Pure. */

import { END_REASONS } from "../end-reason.ts";
import type { EndReason } from "../events.ts";
import { labelOf } from "../label.ts";
import { formatDuration, formatMoney, formatTokens } from "../measure.ts";
import type { InboundView, SessionStatus } from "../ports/transcripts.ts";
import { UNSET, type SessionSettings } from "../session-settings.ts";
import { totalTokens } from "../usage.ts";
import type { CommandName } from "./command.ts";
import { COMMAND_NAMES, COMMANDS } from "./table.ts";

export function describeCommands(written: (name: CommandName) => string): string {
  const lines = COMMAND_NAMES.map((name) => `- \`${written(name)}\`: ${COMMANDS[name].summary}`);
  return [
    "Write in a thread and the bot answers there. Messages that come while it works are taken in.",
    "",
    ...lines,
  ].join("\n");
}

function describeLast(reason: EndReason): string {
  if (reason === "stop") return "The last answer is complete.";
  const { why } = END_REASONS[reason];
  return reason === "waiting" ? why : `The last answer ended early. ${why}`;
}

export function describeStatus(
  status: SessionStatus | undefined,
  now: number,
  settings: SessionSettings = UNSET,
): string {
  if (status === undefined) return "Nothing has been said to the bot in this thread yet.";
  const lines: string[] = [];
  if (status.running === undefined) {
    const last = status.last === undefined ? "" : ` ${describeLast(status.last.outcome.reason)}`;
    lines.push(`Nothing is running.${last}`);
  } else {
    const { startedAt, rounds, run } = status.running;
    lines.push(
      `Working for ${formatDuration(Math.max(0, now - startedAt))}, ${rounds} ${rounds === 1 ? "round" : "rounds"} so far (run \`${run}\`).`,
    );
  }
  if (settings.isMuted) lines.push("The bot is quiet in this thread.");
  if (settings.follow === "mention") lines.push("Only messages that mention the bot are for it.");
  if (settings.model !== undefined) lines.push(`Model: \`${settings.model}\`.`);
  if (status.waiting > 0) lines.push(`Waiting messages: ${status.waiting}.`);
  const tokens = totalTokens(status.usage);
  const spent = [
    tokens === undefined ? undefined : formatTokens(tokens),
    status.usage.cost === undefined ? undefined : formatMoney(status.usage.cost),
  ].filter((part) => part !== undefined);
  lines.push(
    `Entries in the history: ${status.entries}.${spent.length > 0 ? ` Used: ${spent.join(", ")}.` : ""}`,
  );
  // The first epoch is 1.
  if (status.epoch > 1) lines.push(`Resets so far: ${status.epoch - 1}.`);
  return lines.join("\n\n");
}

const SHOWN_WAITING = 20;

/** In the order in which they will be read: by platform time. */
export function describeQueue(inbounds: readonly InboundView[]): string {
  const waiting = inbounds
    .flatMap(({ state, inbound }) => (state === "waiting" && inbound.kind === "message" ? [inbound] : []))
    .sort((a, b) => a.at - b.at);
  if (waiting.length === 0) return "Nothing waits in this thread.";
  const lines = waiting.slice(0, SHOWN_WAITING).map(({ author, parts }, index) => {
    const firstText = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
    const files = parts.filter((part) => part.kind === "file" || part.kind === "image").length;
    const said =
      firstText.trim() === "" ? `(${files === 1 ? "a file" : `${files} files`})` : labelOf({ firstText });
    return `${index + 1}. ${author.name}: ${said}`;
  });
  const more = waiting.length - lines.length;
  if (more > 0) lines.push(`And ${more} more.`);
  return ["Waiting, in this order:", "", ...lines].join("\n");
}

/** Which rule let a message in or refused it, and what became of it: one line for an admin. */
export function describeWhy(inbounds: readonly InboundView[], message: string | undefined): string {
  const view = inbounds.findLast(
    ({ inbound }) => inbound.kind === "message" && (message === undefined || inbound.message === message),
  );
  if (view === undefined) return NOT_STORED;
  const { author } = view.inbound;
  const rule = view.rule ?? "not known, as it was stored before rules were";
  const who = `${author.name} (\`${author.id}\`)`;
  return view.fate === "refused"
    ? `The bot did not answer ${who}. Rule ${rule}.`
    : `${becameOf(view)} Let in by the rule ${rule}. (Written by ${who}.)`;
}

const NOT_STORED =
  "Nothing of it is stored. Either it was not for the bot (it did not mention it, and no thread of the bot lay there), or it " +
  "came from another bot that `bots.allow` does not name.";

function becameOf({ fate, state, run, reason }: InboundView): string {
  const inRun = run === undefined ? "" : ` (run \`${run}\`)`;
  switch (fate) {
    case undefined:
      return state === "waiting" ? "It waits for its answer." : `The bot works on it${inRun}.`;
    case "answered":
      return `The bot answered it${inRun}.`;
    case "steered":
      return `The bot took it in while it worked${inRun}.`;
    case "failed":
      return `The answer ended early${inRun}${reason === undefined ? "" : `: ${reason}`}.`;
    case "cancelled":
      return `It was taken back${reason === undefined ? "" : `: ${reason}`}.`;
    case "expired":
      return `It can not be answered any more${reason === undefined ? "" : `: ${reason}`}.`;
    case "refused":
      return "It was refused.";
    default:
      return fate satisfies never;
  }
}
