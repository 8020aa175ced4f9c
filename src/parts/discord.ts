/**
 * Discord, by the token of one application: the way out for every role, and the way in for who takes messages. Of several processes
 * that take messages in one listens, and another does when that one is gone. A Discord that is away holds nothing else up.
 */

import { backUrlOf } from "../adapters/admin/pages/paths.ts";
import { sha256 } from "../adapters/ids.ts";
import { createAnswerInteraction } from "../adapters/discord/answer-interaction.ts";
import { createDiscordApi, TOKEN_REFUSED, type DiscordApi } from "../adapters/discord/api.ts";
import { Channels } from "../adapters/discord/channels.ts";
import { registerCommands } from "../adapters/discord/commands.ts";
import { createDiscordConversation } from "../adapters/discord/conversation.ts";
import { DiscordGateway } from "../adapters/discord/gateway.ts";
import { identify, type DiscordIdentity } from "../adapters/discord/identify.ts";
import { IdentifyPace, type IdentifyTimes } from "../adapters/discord/identify-pace.ts";
import { createListener } from "../adapters/discord/listener.ts";
import { createMembers } from "../adapters/discord/members.ts";
import { createMissedChanges } from "../adapters/discord/missed-changes.ts";
import { OwedAnswers } from "../adapters/discord/owed-answers.ts";
import { createKeepReaction } from "../adapters/discord/keep-reaction.ts";
import { createTakeReaction } from "../adapters/discord/reaction.ts";
import { sinceOf } from "../adapters/discord/known-marks.ts";
import { Reader } from "../adapters/discord/reader.ts";
import { createReceive } from "../adapters/discord/receive.ts";
import { createDiscordOpenings } from "../adapters/discord/openings.ts";
import { createDiscordSignIn } from "../adapters/discord/sign-in.ts";
import { createDiscordStanding, type DiscordStandingOptions } from "../adapters/discord/standing.ts";
import { createSuggest } from "../adapters/discord/suggest.ts";
import { createDiscordChannelsNow } from "../adapters/discord/channels-now.ts";
import { withDiscordFiles } from "../adapters/discord/file-surface.ts";
import { createDiscordPeopleNow } from "../adapters/discord/people-now.ts";
import { createDiscordSurface } from "../adapters/discord/surface.ts";
import { createTakeInteraction } from "../adapters/discord/take-interaction.ts";
import { createThreads } from "../adapters/discord/threads.ts";
import type { ReadyCheck } from "../adapters/http/health.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { Access } from "../core/access/access.ts";
import type { Door } from "../core/admin/door.ts";
import type { Branching } from "../core/branch/branching.ts";
import type { Models } from "../core/command/models.ts";
import type { GoalCommands } from "../core/command/goal-command.ts";
import { createGoalThreads } from "../core/command/goal-thread.ts";
import { createCommands, type CommandDeps } from "../core/command/commands.ts";
import { toBobbinError } from "../core/errors.ts";
import { growingMs, pause, untilAborted } from "../core/pause.ts";
import type { Answers } from "../core/ports/answers.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { OpenConversation } from "../core/ports/conversation.ts";
import type { Lease, Locker } from "../core/ports/locker.ts";
import type { Openings } from "../core/ports/openings.ts";
import type { Log } from "../core/ports/log.ts";
import type { Pacer } from "../core/ports/pacer.ts";
import type { ReactionBook } from "../core/ports/reactions.ts";
import type { ReadingMarks } from "../core/ports/reading-marks.ts";
import type { ChannelsNow } from "../core/ports/channel-privacy.ts";
import type { PeopleNow } from "../core/ports/people-now.ts";
import type { SignInWay } from "../core/ports/sign-in-way.ts";
import type { StandingOf } from "../core/ports/standings.ts";
import type { Surface, Voice } from "../core/ports/surface.ts";
import type { ThreadPlaces } from "../core/ports/thread-places.ts";
import type { Transcripts } from "../core/ports/transcripts.ts";
import type { Intake } from "../core/run/intake.ts";
import type { LeaveSpace } from "../core/run/leave-space.ts";
import type { Reach } from "../core/run/where-installed.ts";
import type { GoalWakes } from "../core/run/wake-goal.ts";
import type { SessionId } from "../core/thread.ts";
import { conversationWhen } from "./conversation-when.ts";
import { orLater } from "./or-later.ts";
import { untilThere } from "./until-there.ts";

export interface Discord {
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  readonly standingOf: StandingOf;
  readonly openings: Openings;
  readonly conversation: OpenConversation;
  /** Whether somebody can be answered there now: nobody can where the token is refused. */
  reachOf(session: SessionId): Promise<Reach>;
  /** That the token is refused; where there is a way in it says so itself. */
  readonly troubles: ReadyCheck;
  /** The way in; not started yet. */
  connect(deps: DiscordWayInDeps): DiscordWayIn;
  close(): Promise<void>;
  readonly peopleNow: PeopleNow;
  /** Where an application for it is configured. */
  readonly signIn: SignInWay | undefined;
  readonly channelsNow: ChannelsNow;
}

export interface DiscordWayInDeps {
  readonly access: Access;
  readonly intake: Intake;
  readonly branching: Branching;
  readonly answers: Answers;
  readonly transcripts: Transcripts;
  readonly models: Models;
  readonly goals: GoalCommands;
  readonly door: Door;
  readonly feedback: CommandDeps["feedback"];
  readonly marks: ReadingMarks;
  readonly reacted: GoalWakes["reacted"];
  readonly reactions: ReactionBook;
  readonly leaveSpace: LeaveSpace;
  /** For the one who listens; its leases are held for as long as a process lives. */
  readonly leadership: Locker;
}

export interface DiscordWayIn {
  /**
   * Resolves when this process listens to Discord, or another does, or while Discord still is away; then it is connected later.
   * @throws BobbinError when Discord refuses the token now.
   */
  start(): Promise<void>;
  /** One sentence on what is missing, or nothing. */
  check(): string | undefined;
  /** May be called twice. */
  stop(): Promise<void>;
}

/** Internal: shorter in tests. */
export interface DiscordTimes {
  readonly identify?: IdentifyTimes;
  readonly standings?: DiscordStandingOptions;
}

export type DiscordSettings = Pick<
  Settings,
  "discordToken" | "discordClientId" | "discordClientSecret" | "discordApiUrl" | "publicUrl" | "config"
>;

/** Why something of a server ended that the bot is not in any more; kept with it. */
const LEFT = "the bot was removed from this server";
const LEADER = "discord-gateway";
/** How often who does not listen looks whether it should. */
const STANDBY_MS = 500;
const LONGEST_PAUSE_MS = 4_000;
/** How long answers to commands may take when we leave, ms. */
const STOP_MS = 3_000;
/** How long those of an earlier listener may, before we listen. */
const TAKE_OVER_MS = 3_000;

/**
 * Nothing without a token.
 * @throws BobbinError when Discord does not take it. A Discord that cannot be reached is asked again until it answers.
 */
export async function openDiscord(
  deps: {
    readonly places: ThreadPlaces;
    readonly pacer: Pacer;
    readonly clock: Clock;
    readonly log: Log;
  },
  settings: DiscordSettings,
  signal: AbortSignal,
  times: DiscordTimes = {},
): Promise<Discord | undefined> {
  const { discordToken: token, discordApiUrl } = settings;
  if (token === undefined) return undefined;
  const { clock, log, places, pacer } = deps;
  const elsewhere = discordApiUrl === undefined ? {} : { apiUrl: discordApiUrl.replace(/\/$/, "") };
  const api = createDiscordApi({ log }, { token, ...elsewhere });
  const threads = createThreads({ api, places, log });
  const members = createMembers({ api, clock });
  const closing = new AbortController();
  const leaving = AbortSignal.any([signal, closing.signal]);
  const away = Promise.withResolvers<undefined>();
  const attempt = (): Promise<DiscordIdentity> =>
    identify(api).catch((error: unknown) => {
      if (toBobbinError(error).retryable) away.resolve(undefined);
      throw error;
    });
  const identified = untilThere("Discord", attempt, deps, leaving);
  await orLater(Promise.race([identified, away.promise]), clock);

  const openings = createDiscordOpenings({ api, places, log });
  const refused = (): string | undefined => (api.isRefused ? TOKEN_REFUSED : undefined);

  return {
    reachOf: async () => (api.isRefused ? "broken" : "here"),
    troubles: { name: "Discord", isPartial: true, check: async () => refused() },
    surfaceOf(session, voice = "reply") {
      const surface = createDiscordSurface({ api, threads, pacer, clock, log }, session, { voice });
      return withDiscordFiles(surface, { api, pacer }, session, {
        mostPages: settings.config.limits.replyPages,
        voice,
      });
    },
    standingOf: createDiscordStanding({ api, places, clock }, times.standings),
    openings,
    peopleNow: createDiscordPeopleNow({ api }),
    signIn: signInOf(api, settings, elsewhere),
    channelsNow: createDiscordChannelsNow({ api }),
    conversation: conversationWhen(
      identified.then((bot) => createDiscordConversation({ api, members }, bot)),
    ),
    connect({
      access,
      intake,
      branching,
      answers,
      transcripts,
      models,
      goals,
      door,
      feedback,
      marks,
      reacted,
      reactions,
      leaveSpace,
      leadership,
    }) {
      let gateway: DiscordGateway | undefined;
      let isStandby = false;
      let why: string | undefined = "Discord has not answered yet.";
      let leading: Promise<void> | undefined;
      const stopping = new AbortController();
      const left = AbortSignal.any([leaving, stopping.signal]);
      const settled = Promise.withResolvers<void>();

      /** Until the lease is lost or we leave. */
      async function listen(bot: DiscordIdentity, lease: Lease): Promise<void> {
        const term = await marks.begin("discord");
        const channels = new Channels(bot.user);
        const commands = createCommands({
          access,
          intake,
          branching,
          transcripts,
          models,
          goals,
          door,
          feedback,
          clock,
          log,
        });
        const goalThreads = createGoalThreads({ openings, commands, clock, hash: sha256 });
        const answerInteraction = createAnswerInteraction(
          { api, commands, goalThreads, intake, places, clock, log },
          bot,
        );
        const owed = new OwedAnswers({ answers, api, answerInteraction, clock, log }, bot);
        const receive = createReceive(
          { api, channels, members, intake, owed, places, transcripts, clock, log },
          bot,
        );
        const reader = new Reader(
          { api, marks, receive, leave: (guild) => leaveSpace("discord", guild, LEFT), clock, log },
          {
            term: term.number,
            sinceMs: term.sinceMs,
            known: await marks.list("discord", sinceOf(clock.now())),
            isLive: () => lease.isLive(),
          },
        );
        const suggest = createSuggest({ api, commands, log });
        const takeInteraction = createTakeInteraction(
          { api, owed, channels, answerInteraction, suggest, commands, clock, log },
          bot,
        );
        const changes = createMissedChanges({ api, reader, receive, transcripts, clock, log });
        const takeReaction = createTakeReaction({ reacted, log }, bot);
        const keepReaction = createKeepReaction({ reactions, clock, log }, bot);
        const listener = createListener({
          channels,
          reader,
          receive,
          changes,
          takeInteraction,
          takeReaction,
          keepReaction,
        });
        const entering = (): Promise<void> => marks.entering("discord", term.number);
        const pace = new IdentifyPace({ api, entering, clock, log }, { ...term, ...times.identify });
        const over = AbortSignal.any([left, lease.signal]);
        const { mayReadContent } = bot;
        gateway = new DiscordGateway(
          { api, pace, heard: listener.heard, clock, log },
          { token: token ?? "", mayReadContent },
        );
        isStandby = false;
        log.info("this process listens to Discord", { term: term.number });
        const registered = registerCommands({ api, clock, log }, bot, over);
        try {
          // Before anything newer is heard, so that what was asked for before is done before.
          await Promise.race([owed.takeOver(), pause(clock, TAKE_OVER_MS, over)]);
          owed.start();
          await Promise.race([
            gateway.start().then(() => settled.resolve(), settled.reject),
            untilLeft(over),
          ]);
          await untilLeft(over);
        } finally {
          await gateway.stop();
          // An answer that hangs must not keep the others from listening.
          await Promise.race([listener.settled(), pause(clock, STOP_MS)]);
          await Promise.race([owed.stop(), pause(clock, STOP_MS)]);
          await reader.stop();
          await registered;
          gateway = undefined;
          why = "Discord's gateway is not connected.";
        }
      }

      /** Of all processes that want to, one listens. */
      async function lead(): Promise<void> {
        const bot = await identified;
        why = "Discord's gateway is not connected yet.";
        for (let failures = 0; !left.aborted;) {
          try {
            const locked = await leadership.withLock(LEADER, { mode: "try" }, (lease) => listen(bot, lease));
            isStandby = locked.kind === "busy";
            if (isStandby) settled.resolve();
            failures = 0;
          } catch (error) {
            isStandby = false;
            why = toBobbinError(error).message;
            // An outage of an hour is one line.
            if (failures++ === 0 && !left.aborted)
              log.warn("Discord is not listened to; it is tried again", { error });
          }
          await pause(
            clock,
            failures === 0 ? STANDBY_MS : Math.min(LONGEST_PAUSE_MS, growingMs(failures - 1)),
            left,
          );
        }
      }

      return {
        async start() {
          leading = lead();
          leading.catch((error: unknown) => {
            why = toBobbinError(error).message;
            settled.reject(error);
            if (!left.aborted) log.error("Discord could not be connected", { error });
          });
          settled.promise.catch(() => undefined);
          await orLater(Promise.race([settled.promise, away.promise]), clock);
        },
        check() {
          if (api.isRefused) return refused();
          if (gateway !== undefined) return gateway.check();
          return isStandby ? undefined : why;
        },
        async stop() {
          stopping.abort();
          await leading?.catch(() => undefined);
        },
      };
    },
    async close() {
      closing.abort();
      api.close();
    },
  };
}

function signInOf(
  api: DiscordApi,
  { discordClientId: clientId, discordClientSecret: clientSecret, publicUrl }: DiscordSettings,
  elsewhere: { readonly apiUrl?: string },
): SignInWay | undefined {
  if (clientId === undefined || clientSecret === undefined || publicUrl === undefined) return undefined;
  const backUrl = backUrlOf(publicUrl, "discord");
  return createDiscordSignIn({ api }, { clientId, clientSecret, backUrl, ...elsewhere });
}

function untilLeft(over: AbortSignal): Promise<void> {
  return untilAborted(new Promise(() => undefined), over);
}
