/**
 * The install that comes with SLACK_BOT_TOKEN: an install like any other, but known from the environment and not from the store. Beside
 * it there may be those that were made by OAuth.
 */

import { BobbinError } from "../../core/errors.ts";
import type { Install, Installs } from "../../core/ports/installs.ts";
import type { SlackBot } from "./identity.ts";

export interface EnvironmentInstall {
  readonly installs: Installs;
  /** Slack has said whose token it is. Until then nothing is known of it. @param at ms since 1970. */
  identified(bot: SlackBot, at: number): void;
}

/** @param stored those of the store, where the app is distributed. */
export function withEnvironmentInstall(token: string, stored: Installs | undefined): EnvironmentInstall {
  let own: Install | undefined;
  let isRemoved = false;

  /** Slack may be away: then it is known later. */
  function unlessUnknown<T>(found: T | undefined): T | undefined {
    if (found !== undefined || own !== undefined) return found;
    throw new BobbinError("platform_unavailable", "Slack has not said yet whose SLACK_BOT_TOKEN is.", {
      retryable: true,
    });
  }
  const mine = (space: string): Install | undefined => (own?.space === space ? own : undefined);
  const shown = (): readonly Install[] => (own === undefined || isRemoved ? [] : [own]);

  const installs: Installs = {
    async save(facts, secret) {
      if (stored === undefined || mine(facts.space) !== undefined)
        throw new BobbinError("platform_refused", `${facts.space} is installed by SLACK_BOT_TOKEN.`);
      await stored.save(facts, secret);
    },
    async find(platform, space) {
      if (mine(space) !== undefined) return isRemoved ? undefined : own;
      return unlessUnknown(await stored?.find(platform, space));
    },
    async wasRemoved(platform, space) {
      if (mine(space) !== undefined) return isRemoved;
      return (await stored?.wasRemoved(platform, space)) ?? false;
    },
    async list(platform) {
      const others = (await stored?.list(platform)) ?? [];
      return [...shown(), ...others.filter(({ space }) => mine(space) === undefined)];
    },
    async spaceOfBot(platform, users) {
      const found = shown().find(({ bot }) => users.includes(bot.user));
      return found?.space ?? stored?.spaceOfBot(platform, users);
    },
    async spaceOfThread(platform, channel, root, options = {}) {
      const also = [...(options.also ?? []), ...shown().map(({ space }) => space)];
      return stored?.spaceOfThread(platform, channel, root, { ...options, also });
    },
    async mark(version, state, why) {
      const known = mine(version.space);
      if (known === undefined) return (await stored?.mark(version, state, why)) ?? false;
      if (known.revision !== version.revision || known.state === state) return false;
      const { why: _, ...rest } = known;
      own = { ...rest, state, revision: known.revision + 1, ...(why === undefined ? {} : { why }) };
      return true;
    },
    async remove(platform, space, before) {
      const known = mine(space);
      if (known === undefined) return (await stored?.remove(platform, space, before)) ?? false;
      if (isRemoved || known.at >= before) return false;
      isRemoved = true;
      return true;
    },
  };
  return {
    installs,
    identified({ space, user, bot, name, url }, at) {
      own = {
        platform: "slack",
        space,
        name: space,
        ...(url === undefined ? {} : { url }),
        bot: { user, id: bot, name },
        scopes: [],
        installedBy: "",
        at,
        revision: 1,
        state: "active",
        secret: { kind: "open", value: token },
      };
    },
  };
}
