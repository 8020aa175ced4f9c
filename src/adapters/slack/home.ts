/**
 * The Home tab: a person's threads, made anew when they open it or ask for it. Nothing is stored for it and nothing depends on
 * it: a tab that could not be published is as it was.
 */

import type { Access } from "../../core/access/access.ts";
import type { Author } from "../../core/inbound.ts";
import type { Log } from "../../core/ports/log.ts";
import type { PersonThreads, ThreadOfPerson } from "../../core/ports/person-threads.ts";
import { threadOf } from "../../core/thread.ts";
import type { SlackAnswer, SlackApi } from "./api.ts";
import { authorOf } from "./author.ts";
import { homeView, MOST_SHOWN } from "./home-view.ts";
import { isDirectChannel, type SlackBot } from "./identity.ts";
import { channelsOf } from "./memberships.ts";
import type { Payload } from "./payload.ts";
import type { SlackPeople } from "./people.ts";

export interface HomeOpened {
  readonly user: string;
  /** Of the tab as they have it in front of them; absent where there was none yet. */
  readonly hash?: string;
  /** The workspace in which they are. */
  readonly team?: string;
}

export interface Home {
  /**
   * Resolves when the tab is published, or could not be. Never rejects. Of what the same person asks for meanwhile, one more is
   * made at the end.
   */
  show(opened: HomeOpened): Promise<void>;
}

export interface HomeDeps {
  readonly api: SlackApi;
  readonly access: Pick<Access, "ofCommand">;
  readonly threads: PersonThreads;
  readonly people: SlackPeople;
  readonly log: Log;
}

/** Read so that enough are left when those are taken away that the person may not see. */
const READ = 3 * MOST_SHOWN;

export function createHome({ api, access, threads, people, log }: HomeDeps, bot: SlackBot): Home {
  /** What was asked for while a tab is being made. */
  const next = new Map<string, HomeOpened | undefined>();

  async function viewFor({ user, team }: HomeOpened): Promise<Payload> {
    await people.learn([user], user);
    // Who is of another company or a guest is asked of Slack alone here: no message says it.
    if (people.factsOf(user) === undefined) return homeView({ threads: [], notes: [UNTOLD] }, bot);
    const author = authorOf(user, { bot, nameOf: people.nameOf, factsOf: people.factsOf });
    const allowed = (await threads.of("slack", bot.space, user, READ)).filter((thread) =>
      mayAsk(thread, author),
    );
    if (allowed.length === 0) {
      const refusal = refusalOf(author);
      return homeView({ threads: [], notes: [], ...(refusal === undefined ? {} : { refusal }) }, bot);
    }
    return homeView(await stillThere(allowed, user, team), bot);
  }

  /** The tab says what `status` would in each of the threads. */
  function mayAsk({ session }: ThreadOfPerson, author: Author): boolean {
    const place = threadOf(session);
    const where = isDirectChannel(place.channel) ? { isDirect: true as const } : {};
    return access.ofCommand("status", author, place, where).kind === "allow";
  }

  function refusalOf(author: Author): string | undefined {
    const place = { platform: "slack", space: bot.space, channel: "D" } as const;
    const decision = access.ofCommand("status", author, place, { isDirect: true });
    return decision.kind === "refuse" ? decision.answer : undefined;
  }

  /**
   * Whoever has left a channel is not shown its threads: what they are called and how they are doing may by now be what was said
   * there since.
   */
  async function stillThere(
    all: readonly ThreadOfPerson[],
    user: string,
    team: string | undefined,
  ): Promise<{ readonly threads: readonly ThreadOfPerson[]; readonly notes: readonly string[] }> {
    const channelOf = ({ session }: ThreadOfPerson): string => threadOf(session).channel;
    if (all.every((thread) => isDirectChannel(channelOf(thread)))) return { threads: all, notes: [] };
    const channels = await channelsOf(api, user, bot.space.startsWith("E") ? team : undefined);
    const shown = all.filter(
      (thread) => isDirectChannel(channelOf(thread)) || channels?.has(channelOf(thread)) === true,
    );
    const left = shown.length < all.length ? [LEFT] : [];
    return { threads: shown, notes: channels === undefined ? [UNKNOWN_CHANNELS] : left };
  }

  async function publish(opened: HomeOpened): Promise<void> {
    const { user, hash } = opened;
    let answer = await api.call("views.publish", { user_id: user, view: await viewFor(opened), hash });
    // Somebody has published meanwhile, perhaps what was older than this: what is made now is newer than both.
    if (answer.kind === "refused" && answer.code === "hash_conflict")
      answer = await api.call("views.publish", { user_id: user, view: await viewFor(opened) });
    if (answer.kind !== "ok") log.warn("a Home tab could not be published", { user, why: whyOf(answer) });
  }

  return {
    async show(opened) {
      const { user } = opened;
      if (next.has(user)) {
        next.set(user, opened);
        return;
      }
      let now: HomeOpened | undefined = opened;
      while (now !== undefined) {
        next.set(user, undefined);
        try {
          await publish(now);
        } catch (error) {
          log.warn("a Home tab could not be made", { user, error });
        }
        now = next.get(user);
      }
      next.delete(user);
    },
  };
}

const UNTOLD = "I could not learn from Slack who you are. Please refresh in a minute.";
const UNKNOWN_CHANNELS =
  "I could not learn from Slack which channels you are in, so threads in channels are left out. Please refresh in a minute.";
const LEFT = "Threads in channels that you have left are not shown.";

function whyOf(answer: Exclude<SlackAnswer, { readonly kind: "ok" }>): string {
  if (answer.kind !== "refused") return answer.kind;
  return answer.detail === undefined ? answer.code : `${answer.code}: ${answer.detail}`;
}
