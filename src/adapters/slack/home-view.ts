/** The Home tab as Slack's blocks. Pure. All text in it is inert, as labels are what people wrote. */

import { describeState } from "../../core/command/describe-thread.ts";
import type { ThreadOfPerson } from "../../core/ports/person-threads.ts";
import { threadOf } from "../../core/thread.ts";
import { isDirectChannel, threadUrl, type SlackBot } from "./identity.ts";
import type { Payload } from "./payload.ts";
import { words, type RichInline } from "./rich-text.ts";

/** What the button comes back with. */
export const REFRESH_ACTION = "bobbin_home_refresh";
/** Slack takes 100 blocks; a list is read as far as this. */
export const MOST_SHOWN = 25;

type HomeInline =
  | RichInline
  | { readonly type: "channel"; readonly channel_id: string }
  /** Shown in the time zone of whoever reads. */
  | { readonly type: "date"; readonly timestamp: number; readonly format: string; readonly fallback: string };

export interface HomeContent {
  /** Those that the person may see, the newest first; of more than are shown the rest is only mentioned. */
  readonly threads: readonly ThreadOfPerson[];
  /** Sentences on what is not there and why. */
  readonly notes: readonly string[];
  /** Why there is nothing else to be seen. */
  readonly refusal?: string;
}

export function homeView({ threads, notes, refusal }: HomeContent, bot: SlackBot): Payload {
  const shown = threads.slice(0, MOST_SHOWN);
  const more = threads.length > shown.length ? [`Only the newest ${MOST_SHOWN} are shown.`] : [];
  const said = [...more, ...notes];
  return {
    type: "home",
    blocks: [
      { type: "header", text: plain("Your threads") },
      ...(refusal === undefined ? [] : [paragraph(words(refusal))]),
      ...(refusal === undefined && shown.length === 0 && notes.length === 0 ? howTo(bot) : []),
      ...shown.map((thread) => paragraph(lineOf(thread, bot))),
      ...said.map((note) => ({ type: "context", elements: [plain(note)] })),
      {
        type: "actions",
        elements: [{ type: "button", action_id: REFRESH_ACTION, text: plain("Refresh") }],
      },
    ],
  };
}

function lineOf({ session, label, state, touchedAt }: ThreadOfPerson, bot: SlackBot): readonly HomeInline[] {
  const { channel } = threadOf(session);
  return [
    { type: "link", url: threadUrl(bot, session), text: label, style: { bold: true } },
    ...words(`\n${describeState(state)} · `),
    {
      type: "date",
      timestamp: Math.floor(touchedAt / 1_000),
      format: "{date_short_pretty} at {time}",
      fallback: new Date(touchedAt).toISOString(),
    },
    ...(isDirectChannel(channel)
      ? words(" · between us")
      : [...words(" · "), { type: "channel", channel_id: channel } as const]),
  ];
}

function howTo({ name }: SlackBot): readonly Payload[] {
  return [
    paragraph(
      words(
        `You have no threads with me yet. Mention @${name} in a channel with what you want, or write to me under Messages: I ` +
          "answer in a thread and remember what was said in it. Replies there need no mention.",
      ),
    ),
    paragraph([
      ...words("In a thread, "),
      ...words(`@${name} help`, { code: true }),
      ...words(" lists what you can tell me to do, such as stop, retry and reset."),
    ]),
  ];
}

function paragraph(elements: readonly HomeInline[]): Payload {
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements }] };
}

function plain(text: string): Payload {
  return { type: "plain_text", text, emoji: false };
}
