/** What people did on Discord, from the payload to what is stored. */

import { isDeepStrictEqual } from "node:util";
import { Routes, type GatewayMessageDeleteDispatchData } from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import type { Inbound } from "../../core/inbound.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { ThreadPlaces } from "../../core/ports/thread-places.ts";
import type { Transcripts } from "../../core/ports/transcripts.ts";
import type { Intake } from "../../core/run/intake.ts";
import type { Part } from "../../core/part.ts";
import { cleanJson } from "../../core/text.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { knownOf, type Channels } from "./channels.ts";
import { discordInboundId, type DiscordBot } from "./identity.ts";
import type { Members } from "./members.ts";
import type { MessagePlace, OwedAnswers } from "./owed-answers.ts";
import { parseDelete, parseMessage, parseUpdate, type Message, type Parsed, type Reading } from "./parse.ts";

/** Each rejects when something could not be stored: then it is not done, and may be done again. */
export interface Receive {
  message(message: Message, guild: string | undefined): Promise<void>;
  /** @param known what is known of it already: what says the same is no change. */
  update(message: Message, guild: string | undefined, known?: readonly Part[]): Promise<void>;
  remove(gone: GatewayMessageDeleteDispatchData): Promise<void>;
}

export interface ReceiveDeps {
  readonly api: DiscordApi;
  readonly channels: Channels;
  readonly members: Members;
  readonly intake: Intake;
  readonly owed: Pick<OwedAnswers, "answerTo" | "owe" | "tell">;
  readonly places: Pick<ThreadPlaces, "keep">;
  readonly transcripts: Pick<Transcripts, "status">;
  readonly clock: Clock;
  readonly log: Log;
}

const REFUSED_AGAIN_MS = 3_600_000;

const UNREADABLE =
  "I cannot read messages that do not mention me: the *Message Content Intent* is off for this bot. Mention me in each message, " +
  "or let an admin switch it on in Discord's developer portal.";

export function createReceive(deps: ReceiveDeps, bot: DiscordBot): Receive {
  const { api, channels, members, intake, owed, places, transcripts, clock, log } = deps;

  /** Undefined for a channel that the bot cannot see any more. */
  async function readingOf(id: string, guild: string | undefined): Promise<Reading | undefined> {
    let known = channels.get(id);
    if (known === undefined && guild !== undefined) {
      const answer = await api.call("GET", Routes.channel(id));
      if (answer.kind === "refused") return undefined;
      if (answer.kind !== "ok") {
        const sentence = `Discord does not tell what channel ${id} is: ${answer.kind}`;
        throw new BobbinError("platform_unavailable", sentence, { retryable: true });
      }
      known = knownOf(answer.data as Parameters<typeof knownOf>[0], guild);
      channels.keep(known);
    }
    return {
      bot,
      guild,
      // Whatever belongs to no guild is a conversation with the bot alone.
      kind: known?.kind ?? "direct",
      parent: known?.parent,
      role: channels.roleIn(guild),
      channelName: (channel) => channels.nameOf(channel),
    };
  }

  /** Of what is for the bot it is asked who has written it, where the message does not say. */
  async function parsed(
    message: Message,
    reading: Reading,
    parse: (message: Message, reading: Reading) => Parsed,
  ): Promise<Parsed> {
    const first = parse(message, reading);
    if (first.kind !== "inbound") return first;
    const whole = await members.withMember(message, reading.guild);
    return whole === message ? first : parse(whole, reading);
  }

  async function store(parsed: Parsed, message?: Message): Promise<void> {
    switch (parsed.kind) {
      case "nothing":
        log.debug("a message on Discord is not for the bot", { why: parsed.why });
        return;
      case "unreadable":
        await tellUnreadable(parsed.session);
        return;
      case "inbound": {
        const { inbound, place } = parsed;
        // Before the session is claimed: whoever answers it may be quick.
        if (place !== undefined) await places.keep(inbound.session, place);
        const receipt = await intake.receive(inbound);
        if (receipt.kind === "refused" && receipt.answer !== undefined && inbound.author.kind !== "bot")
          await tellRefused(inbound, message, receipt.answer);
        return;
      }
      default:
        parsed satisfies never;
    }
  }

  /** What the bot says by itself: once in the thread for each key, or once more when that is `againAfterMs` ago. @returns whether it was this time. */
  async function tellOnce(
    session: SessionId,
    key: string,
    { place, text }: { readonly place: MessagePlace; readonly text: string },
    againAfterMs?: number,
  ): Promise<boolean> {
    const { space, channel } = threadOf(session);
    const command = discordInboundId(bot.app, { guild: space, channel }, "command", key);
    const answer = owed.answerTo(command, place, text);
    if (!(await owed.owe(answer, againAfterMs))) return false;
    await owed.tell(answer);
    return true;
  }

  /**
   * Below the message, since Discord shows to one person alone only what answers a click or a command. Each person is told so once
   * an hour in each thread.
   */
  async function tellRefused(
    { session, author }: Inbound,
    message: Message | undefined,
    text: string,
  ): Promise<void> {
    if (message === undefined) return;
    const { channel_id: channel, id } = message;
    const place = { kind: "message", channel, nonce: nonceOf(`no-${id}`), below: id } as const;
    await tellOnce(session, `refused-${author.id}`, { place, text }, REFUSED_AGAIN_MS);
  }

  async function tellUnreadable(session: SessionId): Promise<void> {
    if ((await transcripts.status(session)) === undefined) return;
    const { channel } = threadOf(session);
    const place = { kind: "message", channel, nonce: nonceOf(`unread-${channel}`) } as const;
    if (await tellOnce(session, "unreadable", { place, text: UNREADABLE }))
      log.warn("Discord does not let the bot read messages that do not mention it", { session });
  }

  return {
    async message(message, guild) {
      const reading = await readingOf(message.channel_id, guild);
      if (reading !== undefined) await store(await parsed(message, reading, parseMessage), message);
    },
    async update(message, guild, known) {
      const reading = await readingOf(message.channel_id, guild);
      if (reading === undefined) return;
      const update = await parsed(message, reading, parseUpdate);
      const isKnown =
        known !== undefined &&
        update.kind === "inbound" &&
        update.inbound.kind === "edit" &&
        isDeepStrictEqual(cleanJson(update.inbound.parts), known);
      if (!isKnown) await store(update);
    },
    async remove(gone) {
      const reading = await readingOf(gone.channel_id, gone.guild_id);
      if (reading !== undefined) await store(parseDelete(gone, reading, clock.now()));
    },
  };
}

/** Discord takes 25 characters; ids of its own have at most 20. */
function nonceOf(text: string): string {
  return text.slice(0, 25);
}
