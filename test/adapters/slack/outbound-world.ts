// A thread in the local Slack, the real surface and the real reply writer: what tests of the outbound half are made of.
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSlackApi, type SlackApi } from "../../../src/adapters/slack/api.ts";
import { createSlackSurfaces, type SlackSurfaces } from "../../../src/adapters/slack/surfaces.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import type { Pacer } from "../../../src/core/ports/pacer.ts";
import type { Surface } from "../../../src/core/ports/surface.ts";
import {
  createReplyWriter,
  type ReplyWriter,
  type ReplyWriterOptions,
} from "../../../src/core/reply/writer.ts";
import { sessionIdOf, type SessionId } from "../../../src/core/thread.ts";
import { MemoryPages } from "../../support/memory-pages.ts";
import { fenceOf, runNamed } from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";
import {
  createLocalSlack,
  type LocalSlack,
  type LocalSlackOptions,
} from "../../support/slack/local-slack.ts";
import type { Channel, MessageRef } from "../../support/slack/message.ts";
import type { Person, Said } from "../../support/slack/person.ts";
import type { SeenMessage } from "../../support/slack/seen.ts";

export interface OutboundWorld extends AsyncDisposable {
  readonly slack: LocalSlack;
  readonly api: SlackApi;
  readonly surfaces: SlackSurfaces;
  readonly channel: Channel;
  readonly ana: Person;
  /** What Ana wrote to begin the thread. */
  readonly root: Said;
  readonly session: SessionId;
  readonly surface: Surface;
  readonly pages: MemoryPages;
  /** A writer for the run of this name; a later one with a higher fence takes it over. */
  writer(
    name?: string,
    options?: Partial<ReplyWriterOptions> & { readonly fenceNumber?: number },
  ): ReplyWriter;
  /** The bot's messages in the thread, as Ana sees them. */
  shown(): readonly SeenMessage[];
  /** Their words, on one line each. */
  texts(): readonly string[];
  /** What the bot wrote into the channel itself. */
  strays(): readonly SeenMessage[];
  ref(ts: string): MessageRef;
}

const system = createSystemClock();

export async function outboundWorld(
  options: LocalSlackOptions & {
    readonly surface?: Parameters<typeof createSlackSurfaces>[1];
    /** The thread is one of Ana's direct messages. Default: of a channel. */
    readonly isDirect?: boolean;
    /** How far the product's own clock is ahead, ms. Default 0. */
    readonly aheadMs?: () => number;
    /** In place of one of its own. */
    readonly pacer?: Pacer;
  } = {},
): Promise<OutboundWorld> {
  const { aheadMs = () => 0 } = options;
  const clock: Clock = {
    now: () => system.now(),
    ticks: () => system.ticks() + aheadMs(),
    after: (ms, call) => system.after(ms, call),
  };
  const slack = await createLocalSlack(options);
  const ana = slack.person("ana");
  const channel = options.isDirect === true ? ana.directChannel : slack.channel("general");
  const root = ana.say(channel, `${slack.botMention} hello`);
  const session = sessionIdOf({ platform: "slack", space: slack.teamId, channel: channel.id, root: root.ts });
  const api = createSlackApi(
    { clock },
    { token: slack.app.botToken, apiUrl: slack.slackApiUrl, timeoutMs: 5_000 },
  );
  const surfaces = createSlackSurfaces(
    { api, pacer: options.pacer ?? createLocalPacer(clock), clock, log: silentLog },
    { editEveryMs: 1_000, ...options.surface },
  );
  const surface = surfaces.of(session);
  const pages = new MemoryPages();
  const isBots = ({ userId }: SeenMessage): boolean => userId === slack.app.botUserId;
  const shown = () => slack.thread(channel, root).filter(isBots);
  return {
    slack,
    api,
    surfaces,
    channel,
    ana,
    root,
    session,
    surface,
    pages,
    writer(name = "r1", { fenceNumber = 1, ...own } = {}) {
      const run = { ...runNamed(name), session };
      return createReplyWriter(
        { surface: surfaces.of(session), pages, clock, log: silentLog },
        { run, fence: fenceOf(run, fenceNumber), isLive: () => true, ...own },
      );
    },
    shown,
    texts: () => shown().map(({ text }) => text.replaceAll(/\s+/g, " ").trim()),
    strays: () => slack.channelTop(channel).filter(isBots),
    ref: (ts) => ({ channel: channel.id, ts }),
    async [Symbol.asyncDispose]() {
      await surfaces.stop();
      await slack.close();
    },
  };
}
