/** Whether a goal may go on in a Slack thread: its owner is active and in the channel, and the channel is one that can be written in. */

import { keepNewest } from "../../core/keep-newest.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Standing, StandingOf } from "../../core/ports/standings.ts";
import { threadOf } from "../../core/thread.ts";
import type { SlackApi } from "./api.ts";
import { authorOf } from "./author.ts";
import { isDirectChannel, isWideSpace, type SlackBot } from "./identity.ts";
import { channelsOf } from "./memberships.ts";
import { fieldsOf, textOf } from "./payload.ts";
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

interface ChannelNow {
  /** The bot can write there. */
  readonly isOpen: boolean;
  /** Of an organisation the workspace that it is in, where it is in one alone. */
  readonly team?: string;
}

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

export function createSlackStanding(deps: SlackStandingDeps, options: SlackStandingOptions = {}): StandingOf {
  const { keptMs = 60_000, most = 2_000 } = options;
  const { clock } = deps;
  const channels = new Map<string, Kept<ChannelNow>>();
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
    keepNewest(cache, key, { value, until: clock.ticks() + keptMs }, most);
    return value;
  }

  async function lookAt(api: SlackApi, channel: string): Promise<ChannelNow | undefined> {
    const answer = await api.call("conversations.info", { channel });
    if (answer.kind === "refused") return GONE.has(answer.code) ? { isOpen: false } : undefined;
    if (answer.kind !== "ok") return undefined;
    const found = fieldsOf(answer.data["channel"]);
    const isOpen = found["is_archived"] !== true && found["is_member"] !== false;
    // Where several workspaces share it, who is in it by way of another one is not among the people of this.
    const team = found["is_org_shared"] === true ? undefined : textOf(found["context_team_id"]);
    return { isOpen, ...(team === undefined ? {} : { team }) };
  }

  /** Undefined where Slack does not tell it: the token of a whole organisation says nothing of a workspace that is not named. */
  async function channelsOfOwner(
    { api, people }: { readonly api: SlackApi; readonly people: SlackPeople },
    owner: string,
    { space, team }: { readonly space: string; readonly team: string | undefined },
  ): Promise<ReadonlySet<string> | undefined> {
    const isWide = isWideSpace(space);
    // Of people of another company Slack does not tell it.
    if (people.factsOf(owner)?.isStranger === true || (isWide && team === undefined)) return undefined;
    const named = isWide ? team : undefined;
    return known(members, `${space} ${named ?? ""} ${owner}`, () => channelsOf(api, owner, named));
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
      const now = await known(channels, `${space} ${channel}`, () => lookAt(api, channel));
      if (now?.isOpen === false) return { kind: "gone" };
      const inside = await channelsOfOwner(place, owner.id, { space, team: now?.team });
      if (inside !== undefined && inside.size < MANY && !inside.has(channel)) return { kind: "owner_left" };
    }
    const { nameOf, factsOf } = people;
    return { kind: "fine", owner: authorOf(owner.id, { bot, nameOf, factsOf }, { name: owner.name }) };
  };
}
