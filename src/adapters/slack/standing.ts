/** Whether a goal may go on in a Slack thread: its owner is active and in the channel, and the channel is one that can be written in. */

import type { Clock } from "../../core/ports/clock.ts";
import type { Standing, StandingOf } from "../../core/ports/standings.ts";
import { threadOf } from "../../core/thread.ts";
import type { SlackApi } from "./api.ts";
import { authorOf } from "./author.ts";
import { isDirectChannel, type SlackBot } from "./identity.ts";
import { channelsOf } from "./memberships.ts";
import { fieldsOf } from "./payload.ts";
import type { SlackPeople } from "./people.ts";

export interface SlackStandingDeps {
  /** Of the space; undefined where the app cannot be used there now. */
  at(
    space: string,
  ): Promise<{ readonly api: SlackApi; readonly people: SlackPeople; readonly bot: SlackBot } | undefined>;
  readonly clock: Clock;
}

export interface SlackStandingOptions {
  /** How long it is believed who is in which channel, and whether that is archived, ms. Default 60,000. */
  readonly keptMs?: number;
  /** People and channels that are kept; the ones learned first go first. Default 2,000. */
  readonly most?: number;
}

/** Slack's words for a channel that is not there for the bot. */
const GONE: ReadonlySet<string> = new Set(["channel_not_found", "is_archived", "channel_is_archived"]);
/** Who is in so many channels is not known to be in the others. */
const MANY = 4_000;

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

export function createSlackStanding(deps: SlackStandingDeps, options: SlackStandingOptions = {}): StandingOf {
  const { keptMs = 60_000, most = 2_000 } = options;
  const { clock } = deps;
  const channels = new Map<string, Kept<boolean>>();
  const members = new Map<string, Kept<ReadonlySet<string>>>();

  /** What cannot be learnt now counts as it was known last. */
  async function known<T>(
    cache: Map<string, Kept<T>>,
    key: string,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const before = cache.get(key);
    if (before !== undefined && before.until > clock.ticks()) return before.value;
    const value = (await ask()) ?? before?.value;
    if (value === undefined) return undefined;
    cache.delete(key);
    cache.set(key, { value, until: clock.ticks() + keptMs });
    const [oldest] = cache.keys();
    if (cache.size > most && oldest !== undefined) cache.delete(oldest);
    return value;
  }

  async function isOpen(api: SlackApi, channel: string): Promise<boolean | undefined> {
    const answer = await api.call("conversations.info", { channel });
    if (answer.kind === "refused") return GONE.has(answer.code) ? false : undefined;
    if (answer.kind !== "ok") return undefined;
    const { is_archived: isArchived, is_member: isMember } = fieldsOf(answer.data["channel"]);
    return isArchived !== true && isMember !== false;
  }

  return async (session, { owner }): Promise<Standing> => {
    const { space, channel } = threadOf(session);
    const place = await deps.at(space).catch(() => undefined);
    if (place === undefined) return { kind: "fine", owner };
    const { api, people, bot } = place;
    await people.learn([owner.id], owner.id);
    const facts = people.factsOf(owner.id);
    if (facts?.isGone === true) return { kind: "owner_left" };
    if (!isDirectChannel(channel)) {
      if ((await known(channels, `${space} ${channel}`, () => isOpen(api, channel))) === false)
        return { kind: "gone" };
      // Of people of another company Slack does not tell it.
      const inside =
        facts?.isStranger === true
          ? undefined
          : await known(members, `${space} ${owner.id}`, () => channelsOf(api, owner.id));
      if (inside !== undefined && inside.size < MANY && !inside.has(channel)) return { kind: "owner_left" };
    }
    const { nameOf, factsOf } = people;
    return { kind: "fine", owner: authorOf(owner.id, { bot, nameOf, factsOf }, { name: owner.name }) };
  };
}
