// A thread in the local Discord and the real surface: what tests of the outbound half are made of.
import { createDiscordApi, type DiscordApi } from "../../../src/adapters/discord/api.ts";
import { withDiscordFiles } from "../../../src/adapters/discord/file-surface.ts";
import { createDiscordSurface } from "../../../src/adapters/discord/surface.ts";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createThreads } from "../../../src/adapters/discord/threads.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import type { Pacer } from "../../../src/core/ports/pacer.ts";
import type { Surface, Voice } from "../../../src/core/ports/surface.ts";
import type { ThreadPlace } from "../../../src/core/ports/thread-places.ts";
import { sessionIdOf, type SessionId } from "../../../src/core/thread.ts";
import {
  createLocalDiscord,
  type LocalDiscord,
  type LocalDiscordOptions,
} from "../../support/discord/local-discord.ts";
import type { Channel } from "../../support/discord/model.ts";
import type { Person, Said } from "../../support/discord/person.ts";
import type { SeenMessage } from "../../support/discord/seen.ts";
import { silentLog } from "../../support/silent-log.ts";

export interface OutboundWorld extends AsyncDisposable {
  readonly discord: LocalDiscord;
  readonly api: DiscordApi;
  readonly channel: Channel;
  readonly ana: Person;
  /** What Ana wrote, below which the thread hangs. */
  readonly root: Said;
  readonly session: SessionId;
  readonly surface: Surface;
  /** Another process that works on the same thread. */
  another(voice?: Voice): Surface;
  /** The bot's messages in the thread. */
  shown(): readonly SeenMessage[];
}

export async function outboundWorld(
  options: LocalDiscordOptions & {
    readonly replyPages?: number;
    readonly pacer?: Pacer;
    readonly clock?: Clock;
  } = {},
): Promise<OutboundWorld> {
  const discord = await createLocalDiscord(options);
  const channel = discord.channel("general");
  const ana = discord.person("Ana");
  const root = ana.say(channel, `${discord.botMention} hello`);
  const session = sessionIdOf({ platform: "discord", space: discord.guild.id, channel: root.id });
  const api = createDiscordApi(
    { log: silentLog },
    { token: discord.token, apiUrl: discord.apiUrl, timeoutMs: 5_000 },
  );
  const place: ThreadPlace = { parent: channel.id, name: "hello" };
  const places = { of: (asked: SessionId) => Promise.resolve(asked === session ? place : undefined) };
  const clock = options.clock ?? createSystemClock();
  const another = (voice: Voice = "reply"): Surface => {
    const threads = createThreads({ api, places, log: silentLog });
    const pacer = options.pacer ?? createLocalPacer(clock);
    const surface = createDiscordSurface({ api, threads, pacer, clock, log: silentLog }, session, { voice });
    return withDiscordFiles(surface, { api, pacer }, session, {
      mostPages: options.replyPages ?? Infinity,
      voice,
    });
  };
  return {
    discord,
    api,
    channel,
    ana,
    root,
    session,
    surface: another(),
    another,
    shown: () => discord.shown(root.id).filter(({ authorId }) => authorId === discord.botId),
    async [Symbol.asyncDispose]() {
      api.close();
      await discord.close();
    },
  };
}
