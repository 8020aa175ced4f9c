/** Who has done something in Slack, with what Slack says of them: in the event itself, and when it was asked. Pure. */

import type { Author } from "../../core/inbound.ts";
import type { SlackBot } from "./identity.ts";
import type { FactsOf } from "./people.ts";
import { textOf, type Payload } from "./payload.ts";
import type { NameOf } from "./text.ts";

/** What an author is read with. */
export interface AuthorReading {
  readonly bot: SlackBot;
  readonly nameOf: NameOf;
  readonly factsOf: FactsOf;
}

export interface AuthorHints {
  /** As the event calls them, where no name is known. */
  readonly name?: string | undefined;
  /** The workspace that the event says they are of. */
  readonly team?: string | undefined;
  /** In a channel that companies share, whoever is not known to be of ours counts as of another. */
  readonly isShared?: boolean;
}

export function authorOf(user: string, reading: AuthorReading, hints: AuthorHints = {}): Author {
  const { bot, nameOf, factsOf } = reading;
  const facts = factsOf(user);
  const kind = kindOf(facts, bot, hints);
  const { admin } = facts ?? {};
  return {
    id: user,
    name: nameOf(user) ?? hints.name ?? user,
    ...(kind === undefined ? {} : { kind }),
    ...(admin === undefined
      ? {}
      : {
          isPlatformAdmin: admin.isAdmin,
          roles: [...(admin.isAdmin ? ["admin"] : []), ...(admin.isOwner ? ["owner"] : [])],
        }),
  };
}

/**
 * The sender's workspace. In a shared channel the copy of a mention has our own one in `team`, also for people of another
 * company: there `team` says something only where it is not ours.
 */
export function teamIn(message: Payload, bot: SlackBot): string | undefined {
  const team = textOf(message["team"]);
  return (
    textOf(message["user_team"]) ??
    textOf(message["source_team"]) ??
    (isForeign(team, bot) ? team : undefined)
  );
}

function kindOf(
  facts: ReturnType<FactsOf>,
  bot: SlackBot,
  { team, isShared = false }: AuthorHints,
): Author["kind"] {
  if (facts?.isBot === true) return "bot";
  if (facts?.isStranger === true || isForeign(team, bot) || isForeign(facts?.team, bot)) return "external";
  if (facts === undefined) return isShared && team === undefined ? "external" : undefined;
  return facts.isGuest ? "guest" : "member";
}

/** An install of a whole organisation has many workspaces: there only Slack's own word counts. */
function isForeign(team: string | undefined, bot: SlackBot): boolean {
  return team?.startsWith("T") === true && bot.space.startsWith("T") && team !== bot.space;
}
