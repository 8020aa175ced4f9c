/**
 * What people wait for that is no reply of the agent's: the answer to a click or a command, which one person alone sees, and what the
 * bot says by itself below a message. Each is stored before it is told, and told by whoever listens after one who died.
 */

import { Routes, type APIMessage } from "discord-api-types/v10";
import type { InboundId } from "../../core/ids.ts";
import type { Answers, OwedAnswer } from "../../core/ports/answers.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { Untold } from "../../core/run/untold.ts";
import { TOKEN_MS, type AnswerInteraction, type InteractionPlace } from "./answer-interaction.ts";
import type { DiscordApi } from "./api.ts";
import type { DiscordBot } from "./identity.ts";

export interface MessagePlace {
  readonly kind: "message";
  readonly channel: string;
  readonly nonce: string;
  /** What is answered; nothing of it stands above this. */
  readonly below?: string;
}

export type AnswerPlace = InteractionPlace | MessagePlace;

export interface OwedAnswersDeps {
  readonly answers: Answers;
  readonly api: DiscordApi;
  readonly answerInteraction: AnswerInteraction;
  readonly clock: Clock;
  readonly log: Log;
}

/** Read back for what may have been said before. */
const PAGE = "100";
const VERSION = 1;

export class OwedAnswers {
  readonly #deps: OwedAnswersDeps;
  readonly #bot: DiscordBot;
  readonly #untold: Untold;

  constructor(
    deps: OwedAnswersDeps,
    bot: DiscordBot,
    times: { readonly everyMs?: number; readonly idleMs?: number } = {},
  ) {
    const { answers, clock, log } = deps;
    this.#deps = deps;
    this.#bot = bot;
    this.#untold = new Untold(
      { answers, clock, log, tell: (answer, isAgain) => this.#tell(answer, isAgain) },
      { platform: "discord", space: bot.app, keptMs: TOKEN_MS, ...times },
    );
  }

  answerTo(command: InboundId, place: AnswerPlace, text: string): OwedAnswer {
    const stored = JSON.stringify({ v: VERSION, ...place });
    return { command, platform: "discord", space: this.#bot.app, place: stored, text };
  }

  /** Rejects when it cannot be stored. @returns whether it was not owed before, or not within `againAfterMs`. */
  owe(answer: OwedAnswer, againAfterMs?: number): Promise<boolean> {
    return this.#deps.answers.owe(answer, againAfterMs);
  }

  /** By the one who owes it. Never rejects. */
  tell(answer: OwedAnswer): Promise<void> {
    return this.#untold.tell(answer);
  }

  /** What those who listened before have left untold. Never rejects. */
  takeOver(): Promise<void> {
    return this.#untold.takeOver();
  }

  start(): void {
    this.#untold.start();
  }

  stop(): Promise<void> {
    return this.#untold.stop();
  }

  async #tell({ place, text }: OwedAnswer, isAgain: boolean): Promise<"over" | "later"> {
    const where = placeOf(place);
    switch (where?.kind) {
      case undefined:
        return "over";
      case "interaction":
        return this.#deps.answerInteraction(where, true, isAgain);
      case "message":
        return this.#say(where, text, isAgain);
      default:
        return where satisfies never;
    }
  }

  async #say(place: MessagePlace, text: string, isAgain: boolean): Promise<"over" | "later"> {
    const { api, log } = this.#deps;
    const { channel, nonce, below } = place;
    if (isAgain) {
      const stands = await this.#stands(place, text);
      if (stands !== "no") return stands === "yes" ? "over" : "later";
    }
    const body = {
      content: text,
      ...(below === undefined ? {} : { message_reference: { message_id: below, fail_if_not_exists: false } }),
      allowed_mentions: { parse: [] },
      nonce,
      enforce_nonce: true,
    };
    const told = await api.call("POST", Routes.channelMessages(channel), { body });
    if (told.kind === "ok") return "over";
    log.debug("what the bot says by itself could not be told", { channel, ...told });
    return told.kind === "refused" ? "over" : "later";
  }

  /** Discord merges posts with one nonce for some minutes only. */
  async #stands({ channel, below }: MessagePlace, text: string): Promise<"yes" | "no" | "unknown"> {
    const query = { limit: PAGE, ...(below === undefined ? {} : { after: below }) };
    const answer = await this.#deps.api.call("GET", Routes.channelMessages(channel), { query });
    if (answer.kind === "refused") return "no";
    if (answer.kind !== "ok") return "unknown";
    const found = (answer.data as readonly APIMessage[]).some(
      ({ author, content }) => author.id === this.#bot.user && content === text,
    );
    return found ? "yes" : "no";
  }
}

/** Stored by ourselves, perhaps by another version. */
function placeOf(text: string): AnswerPlace | undefined {
  try {
    const place = JSON.parse(text) as AnswerPlace & { readonly v: unknown };
    return place.v === VERSION ? place : undefined;
  } catch {
    return undefined;
  }
}
