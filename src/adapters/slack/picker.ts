/** What a slash command answers: which of the channel's threads is meant. Only who asked sees it. */

import type { CommandName } from "../../core/command/command.ts";
import { formatDuration } from "../../core/measure.ts";
import type { RecentSession } from "../../core/ports/transcripts.ts";
import { headOf } from "../../core/text.ts";
import { threadOf } from "../../core/thread.ts";
import { pickerActionId } from "./interaction.ts";
import type { Payload } from "./payload.ts";

/** Slack's limits of an option's text and of how many there may be. */
const OPTION_UNITS = 75;
export const MOST_THREADS = 100;

const QUESTIONS: Readonly<Record<CommandName, string>> = {
  reset: "Which thread shall begin anew?",
  stop: "In which thread shall the bot stop?",
  retry: "In which thread shall the bot try again?",
  status: "Which thread do you want to know about?",
  queue: "Which thread's queue do you want to see?",
  usage: "Which thread's usage do you want to see?",
  details: "Which thread's last answer do you want to know about?",
  model: "Which thread's model is it about?",
  effort: "In which thread shall the model think more or less?",
  title: "Which thread's title is it about?",
  follow: "Which thread shall the bot follow in another way?",
  mute: "In which thread shall the bot be quiet or speak again?",
  reload: "Which thread shall use today's instructions and tools?",
  why: "Which thread's newest message do you want to know about?",
  help: "Which thread is it about?",
};

/** @param now ms since 1970, to tell how long ago a thread was touched. */
export function threadPicker(name: CommandName, sessions: readonly RecentSession[], now: number): Payload {
  if (sessions.length === 0) {
    return ephemeral("There is no thread with the bot in this channel yet. Mention it to open one.");
  }
  const options = sessions.slice(0, MOST_THREADS).map((session) => ({
    text: { type: "plain_text", text: optionText(session, now), emoji: false },
    value: threadOf(session.session).root ?? "",
  }));
  const question = QUESTIONS[name];
  return {
    ...ephemeral(question),
    blocks: [
      { type: "section", text: { type: "plain_text", text: question, emoji: false } },
      {
        type: "actions",
        elements: [
          {
            type: "static_select",
            action_id: pickerActionId(name),
            placeholder: { type: "plain_text", text: "Choose a thread", emoji: false },
            options,
          },
        ],
      },
    ],
  };
}

export function ephemeral(text: string): Payload {
  return { response_type: "ephemeral", text };
}

function optionText({ label, running, touchedAt }: RecentSession, now: number): string {
  const when = running ? "working now" : `${formatDuration(wholeUnit(now - touchedAt))} ago`;
  return `${headOf(label, OPTION_UNITS - when.length - 3)} · ${when}`;
}

/** A list is read at a glance: whole minutes, hours or days. */
function wholeUnit(ms: number): number {
  const unit = [86_400_000, 3_600_000, 60_000, 1_000].find((each) => ms >= each) ?? 1_000;
  return Math.max(1, Math.floor(ms / unit)) * unit;
}
