/**
 * Everything that Slack brings to the one app, for all its installs: handed to what takes the deliveries of that install, or to nobody. News of
 * the installs themselves is taken here.
 */

import type { Installs } from "../../core/ports/installs.ts";
import type { Log } from "../../core/ports/log.ts";
import { addressedBy } from "./addressed-space.ts";
import type { SlackBot } from "./identity.ts";
import { fieldsOf, listOf, numberOf, textOf, type Payload } from "./payload.ts";
import type { Receive, Taken } from "./receive.ts";
import { botOf, isSameBot, type SlackSpaces } from "./spaces.ts";

export interface DeliveriesDeps {
  readonly spaces: Pick<SlackSpaces, "at">;
  readonly installs: Pick<Installs, "remove" | "spaceOfBot" | "spaceOfThread" | "wasRemoved">;
  /** What takes the deliveries of one install. */
  receiveOf(bot: SlackBot): Receive;
  /** The app was removed from the space. Never rejects. */
  departed(space: string): Promise<void>;
  readonly log: Log;
}

/** The events that are read here, beside those of messages. */
export const INSTALL_EVENTS = ["app_uninstalled", "tokens_revoked"] as const;

export function createDeliveries(deps: DeliveriesDeps): Receive {
  const { spaces, installs, log } = deps;
  const receivers = new Map<string, { readonly bot: SlackBot; readonly receive: Receive }>();
  /** Teams that are not installed, of which the log has a line. */
  const strangers = new Set<string>();

  function receiverOf(bot: SlackBot): Receive {
    const before = receivers.get(bot.space);
    if (before !== undefined && isSameBot(before.bot, bot)) return before.receive;
    const receive = deps.receiveOf(bot);
    receivers.set(bot.space, { bot, receive });
    return receive;
  }

  async function removed(body: Payload, space: string): Promise<Taken> {
    // Slack counts in whole seconds, and sends such news again for minutes: an install that was made since stays.
    const at = (numberOf(body["event_time"]) ?? 0) * 1_000;
    const wasThere = await installs.remove("slack", space, at);
    spaces.at(space).forget();
    receivers.delete(space);
    if (!wasThere) return {};
    log.info("the app was removed from a workspace; its token is erased", { space });
    return { after: () => deps.departed(space) };
  }

  /** An organisation's comes by way of one of its workspaces; where that one had an install of its own, it may be about that. */
  async function maybeOf(body: Payload, space: string): Promise<boolean> {
    const team = textOf(body["team_id"]);
    return isOf(body, space) || team === undefined || !(await installs.wasRemoved("slack", team));
  }

  return async (body) => {
    const addressed = await addressedBy(deps, body);
    if (addressed.kind === "nobody") {
      const { named } = addressed;
      // The second of two that say the same.
      if (isInstallEvent(fieldsOf(body["event"]))) return {};
      if (!strangers.has(named))
        log.warn("Slack brings something of a workspace where the app is not installed", { team: named });
      strangers.add(named);
      return {};
    }
    const bot = botOf(addressed.known);
    strangers.delete(bot.space);
    const event = fieldsOf(body["event"]);
    switch (event["type"] as (typeof INSTALL_EVENTS)[number]) {
      case "app_uninstalled":
        return isOf(body, bot.space) ? removed(body, bot.space) : {};
      case "tokens_revoked": {
        const revoked = listOf(fieldsOf(event["tokens"])["bot"]).map(textOf);
        // What people's own tokens may do is no concern of ours: we have none.
        return revoked.includes(bot.user) && (await maybeOf(body, bot.space)) ? removed(body, bot.space) : {};
      }
      default:
        return receiverOf(bot)(body);
    }
  };
}

function isInstallEvent({ type }: Payload): boolean {
  return INSTALL_EVENTS.some((name) => name === type);
}

/** One workspace of an organisation may let the app go and the organisation keeps it, or the other way round. */
function isOf(envelope: Payload, space: string): boolean {
  const named = fieldsOf(listOf(envelope["authorizations"])[0] ?? envelope);
  const team = textOf(named["team_id"]);
  if (named["is_enterprise_install"] === true) return textOf(named["enterprise_id"]) === space;
  return team === undefined || team === space;
}
