/** Keeps what people give to messages of a thread in Slack. Slack tells of every message of the channels that the bot is in. */

import type { Clock } from "../../core/ports/clock.ts";
import type { ReactionBook } from "../../core/ports/reactions.ts";
import { slackInboundId, type SlackBot } from "./identity.ts";
import type { SlackPeople } from "./people.ts";
import type { SlackReaction } from "./reaction.ts";

/** Rejects when it could not be stored. @param app the id of the Slack app that it came to. */
export type KeepReaction = (reaction: SlackReaction, app: string) => Promise<void>;

export function createKeepReaction(
  deps: {
    readonly reactions: ReactionBook;
    readonly people: Pick<SlackPeople, "learn" | "nameOf" | "factsOf">;
    readonly clock: Clock;
  },
  { space }: Pick<SlackBot, "space">,
): KeepReaction {
  const { reactions, people, clock } = deps;
  return async ({ kind, user, channel, ts, emoji, at = clock.now() }, app) => {
    const message = {
      near: { platform: "slack", space, channel },
      message: ts,
      inbound: slackInboundId({ app, space, channel }, "message", ts),
    } as const;
    // Nobody is looked up for what is no thread.
    if (!(await reactions.isKept(message))) return;
    await people.learn([user]);
    if (people.factsOf(user)?.isBot === true) return;
    const name = people.nameOf(user);
    const person = { id: user, ...(name === undefined ? {} : { name }) };
    await reactions.put({ ...message, kind, person, emoji, shown: `:${emoji}:`, at });
  };
}
