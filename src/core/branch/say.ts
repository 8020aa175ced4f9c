/** What is said of a branch, in plain markdown. Pure. */

import type { Branch } from "../ports/branches.ts";
import { plain } from "../plain-text.ts";
import type { PageContent } from "../ports/surface.ts";

export const NOTHING_YET =
  "There is nothing to branch from yet: the bot has not finished an answer in this thread.";
export const NOT_IN_HISTORY =
  "Nothing can be branched from that message: the bot has neither read nor written it since this thread began.";
export const STILL_WORKING = "The bot still works on that message. Branch from it when its answer is there.";

export function asked(entries: number): string {
  return `A new thread begins with what was said here (${counted(entries)}). The link comes below.`;
}

/** @param address of the thread that it was branched from. */
export function firstPage(branch: Branch, address: string | undefined): PageContent {
  const { label, by, entries } = branch;
  return {
    markdown: [
      `**Branch of ${linked(label, address)}**, asked for by ${plain(by)}.`,
      `The bot knows here what was said there (${counted(entries)}). Title, model and effort are the same; goal, waiting ` +
        "messages and approvals stay there. Write in this thread to go on.",
    ].join("\n\n"),
    buttons: [],
  };
}

/** @param address of the new thread. */
export function lastLine({ by, refusal }: Branch, address: string | undefined): PageContent {
  const markdown =
    refusal === undefined
      ? `${plain(by)} branched this thread: ${linked("it goes on here as well", address)}.`
      : `This thread could not be branched. ${refusal}`;
  return { markdown, buttons: [] };
}

function counted(entries: number): string {
  return entries === 1 ? "1 entry" : `${entries} entries`;
}

function linked(text: string, address: string | undefined): string {
  return address === undefined ? plain(text) : `[${plain(text)}](${address})`;
}
