/**
 * All spaces in which the app is installed. Whoever calls Slack names the space first, and everything that hangs on an install (its token,
 * its bot, the people, the signs of work, what it lets be read) is that space's own: there is no way to the one by the other.
 */

import { BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { OpenConversation } from "../../core/ports/conversation.ts";
import type { Installs } from "../../core/ports/installs.ts";
import type { Openings } from "../../core/ports/openings.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { Surface, Voice } from "../../core/ports/surface.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import { createSlackApi, type SlackApi } from "./api.ts";
import { createSlackConversation } from "./conversation.ts";
import { isWideSpace, type SlackBot } from "./identity.ts";
import { InstalledSpace, type Known } from "./installed-space.ts";
import { createSlackOpenings } from "./openings.ts";
import { createSlackPeople, type SlackPeople } from "./people.ts";
import { createSlackSurfaces, type SlackSurfaces } from "./surfaces.ts";
import { createTell, type Tell } from "./tell.ts";
import { webDispatcher } from "./web-request.ts";

export interface SlackSpace {
  readonly api: SlackApi;
  readonly people: SlackPeople;
  readonly surfaces: SlackSurfaces;
  readonly tell: Tell;
  /** Rejects when the store has to be asked and does not answer. */
  known(): Promise<Known>;
  /** The install has changed: it is looked up before it is used again. */
  forget(): void;
}

export interface SlackSpaces {
  /** Made when it is first named; the same one each time. */
  at(space: string): SlackSpace;
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  readonly openings: Openings;
  readonly conversation: OpenConversation;
  /** Resolves when no call for a status is under way any more. */
  stop(): Promise<void>;
}

export interface SlackSpacesDeps {
  readonly installs: Pick<Installs, "find" | "mark">;
  /** Hears of each token before it is used. */
  readonly learn: (token: string) => void;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

export function createSlackSpaces(
  deps: SlackSpacesDeps,
  options: { readonly apiUrl?: string; readonly replyPages?: number } = {},
): SlackSpaces {
  const { replyPages } = options;
  const replies = replyPages === undefined ? {} : { replyPages };
  const spaces = new Map<string, SlackSpace>();
  // Of all tokens: connections know nothing of who asks over them.
  const dispatcher = webDispatcher(options.apiUrl);
  const apiOf = (token: string): SlackApi => createSlackApi(deps, { token, dispatcher, ...options });
  const conversations = new Map<string, { readonly bot: SlackBot; readonly way: OpenConversation }>();

  function at(space: string): SlackSpace {
    const known = spaces.get(space);
    if (known !== undefined) return known;
    const api = new InstalledSpace({ ...deps, apiOf }, space);
    const made: SlackSpace = {
      api,
      people: createSlackPeople({ api, clock: deps.clock }, { isWide: isWideSpace(space) }),
      surfaces: createSlackSurfaces({ ...deps, api }, replies),
      tell: createTell({ api, log: deps.log }),
      known: () => api.known(),
      forget: () => api.forget(),
    };
    spaces.set(space, made);
    return made;
  }

  async function conversationAt(session: SessionId): Promise<OpenConversation> {
    const { space } = threadOf(session);
    const { api, people, known } = at(space);
    const now = await known();
    if (now.kind !== "here")
      throw new BobbinError(
        "platform_refused",
        `Slack cannot be read: the app is not installed in ${space}.`,
      );
    const bot = botOf(now);
    const before = conversations.get(space);
    if (before !== undefined && isSameBot(before.bot, bot)) return before.way;
    const way = createSlackConversation({ api, people, log: deps.log }, { bot });
    conversations.set(space, { bot, way });
    return way;
  }

  return {
    at,
    surfaceOf: (session, voice) => at(threadOf(session).space).surfaces.of(session, voice),
    openings: createSlackOpenings({
      ...deps,
      apiOf: (space) => at(space).api,
      async botIn(space) {
        const known = await at(space).known();
        return known.kind === "gone" ? undefined : botOf(known);
      },
    }),
    conversation: {
      read: async (session, ...rest) => (await conversationAt(session)).read(session, ...rest),
      after: async (session, ...rest) => (await conversationAt(session)).after(session, ...rest),
    },
    async stop() {
      await Promise.all([...spaces.values()].map(({ surfaces }) => surfaces.stop()));
    },
  };
}

/** Who the bot is there. */
export function botOf({ install }: Exclude<Known, { readonly kind: "gone" }>): SlackBot {
  const { space, bot, url } = install;
  return { space, user: bot.user, bot: bot.id, name: bot.name, ...(url === undefined ? {} : { url }) };
}

export function isSameBot(one: SlackBot, other: SlackBot): boolean {
  const key = ({ space, user, bot, name, url }: SlackBot): string => [space, user, bot, name, url].join(" ");
  return key(one) === key(other);
}
