/** What people have set for one session. A reset keeps it: it is the thread's, not the conversation's. */

import type { Follow } from "./command/command.ts";
import type { Effort } from "./effort.ts";
import type { Verbosity } from "./verbosity.ts";

/** What the session's model is to be; what is absent is as the configuration has it. */
export interface ChosenModel {
  readonly model?: string;
  readonly effort?: Effort;
}

export interface SessionSettings extends ChosenModel {
  /** `source`: who gave it. A person's is never overwritten by a model's. */
  readonly title?: { readonly text: string; readonly source: "person" | "model" };
  /** How much is shown of the tools here; absent where it is as the configuration has it. */
  readonly verbosity?: Verbosity;
  readonly follow: Follow;
  /** Nothing that is said in the thread is for the bot, also where it mentions it. */
  readonly isMuted: boolean;
}

export const UNSET: SessionSettings = { follow: "thread", isMuted: false };

/** The rules by which a thread's own settings keep a message from the bot: as `why` tells them. */
export const MENTION_RULE = "follow: the thread follows mentions only, and this message has none";
export const MUTE_RULE = "mute: the bot is muted in this thread";
