/** Does what a click or a command asks for, and tells the one who asked. */

import { Routes } from "discord-api-types/v10";
import type { GoalThreads } from "../../core/command/goal-thread.ts";
import type { CommandResult, Commands } from "../../core/command/commands.ts";
import { growingMs, pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { ThreadPlaces } from "../../core/ports/thread-places.ts";
import { split } from "../../core/reply/split.ts";
import type { Intake } from "../../core/run/intake.ts";
import { headOf } from "../../core/text.ts";
import { threadOf } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { formatPage, measure, PAGE_SIZE } from "./format.ts";
import type { DiscordBot } from "./identity.ts";
import type { Asked } from "./interaction.ts";
import { timeOf } from "./snowflake.ts";

/** `token`: whoever has it may answer in the bot's name, for as long as Discord takes it. */
export interface InteractionPlace {
  readonly kind: "interaction";
  readonly id: string;
  readonly token: string;
  readonly asked: Asked;
}

export interface AnswerInteractionDeps {
  readonly api: DiscordApi;
  readonly commands: Commands;
  readonly goalThreads: GoalThreads;
  readonly intake: Intake;
  readonly places: Pick<ThreadPlaces, "keep">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Does what was asked for and tells it. Done again it changes nothing, and says how it stands by then.
 * @param isAgain somebody may have done it before.
 * @param isOwed it is stored that it is asked for, so what cannot be done now is done later.
 */
export type AnswerInteraction = (
  place: InteractionPlace,
  isOwed: boolean,
  isAgain?: boolean,
) => Promise<"over" | "later">;

/** How long the address of an answer is good, ms. What was not done by then is not done any more, as nobody could be told. */
export const TOKEN_MS = 15 * 60_000;
const MOST_TRIES = 3;
const LONGEST_NAME = 100;
/** Discord shows no more of one message: its own words, and cards below them. */
const MOST_PAGES = 3;
const FAILED = "That could not be done now. Please try again.";
const NOT_YET = "That could not be done yet. It is tried again for some minutes.";

export function createAnswerInteraction(deps: AnswerInteractionDeps, bot: DiscordBot): AnswerInteraction {
  const { api, commands, goalThreads, intake, places, clock, log } = deps;

  async function done(asked: Asked, isAgain: boolean): Promise<CommandResult> {
    switch (asked.kind) {
      case "nothing":
        return { text: asked.why };
      case "command":
        return commands.run(asked.command, asked.request);
      case "goal_form":
        // Where no form could be shown: why a goal cannot be set there, or how the one that was to be changed stands.
        return commands.run(
          asked.begun?.kind === "set" ? { name: "goal", value: asked.begun } : { name: "goal" },
          asked.request,
        );
      case "goal_thread": {
        const { author, beside, where } = asked.asked;
        const refused = commands.refusal("goal", author, threadOf(beside), where);
        if (refused !== undefined) return { text: refused };
        const opened = await goalThreads.open(asked.asked, isAgain);
        if (opened.kind === "later") throw new Error("the thread of a goal is not there yet");
        return { text: opened.text };
      }
      case "message": {
        const { inbound, place } = asked;
        // Before the session is claimed: whoever answers it may be quick.
        if (place !== undefined) await places.keep(inbound.session, place);
        const receipt = await intake.receive(inbound);
        if (receipt.kind === "refused") return { text: receipt.answer ?? "You may not do that here." };
        return {
          text: place === undefined ? "I answer here." : "I answer in the thread below that message.",
        };
      }
      default:
        return asked satisfies never;
    }
  }

  /** Once: Discord takes two names in ten minutes, and threads of others only from whoever manages them. */
  async function rename(thread: string, title: string): Promise<void> {
    const body = { name: headOf(title, LONGEST_NAME) };
    const renamed = await api.call("PATCH", Routes.channel(thread), { body });
    if (renamed.kind !== "ok") log.info("a thread keeps its name on Discord", { thread, ...renamed });
  }

  return async ({ id, token, asked }, isOwed, isAgain = false) => {
    if (clock.now() - timeOf(id) > TOKEN_MS) return "over";
    let isToDo = false;
    const { text, title } = await done(asked, isAgain).catch((error: unknown): CommandResult => {
      log.error("what was asked for could not be done", { kind: asked.kind, error });
      // Whoever reads that they should try again has to be sure that it is not done behind their back.
      isToDo = isOwed;
      return { text: isOwed ? NOT_YET : FAILED };
    });
    const body = { ...shownOf(text), allowed_mentions: { parse: [] } };
    // One edit or many are the same.
    for (let failures = 0; ; failures++) {
      const route = Routes.webhookMessage(bot.app, token, "@original");
      const told = await api.answer("PATCH", route, body, token);
      if (told.kind === "ok") {
        if (title !== undefined && asked.kind === "command" && asked.named !== undefined)
          await rename(asked.named, title);
        return isToDo ? "later" : "over";
      }
      if (told.kind === "refused" || failures + 1 >= MOST_TRIES)
        log.warn("the answer to a command could not be shown", { ...told });
      if (told.kind === "refused") return "over";
      if (failures + 1 >= MOST_TRIES) return "later";
      await pause(clock, told.kind === "rate_limited" ? told.afterMs : growingMs(failures));
    }
  };
}

/** An answer is one message, so that giving it twice is giving it once: what is too long for its words stands in cards below them. */
function shownOf(markdown: string): object {
  const pages = split(markdown, { pageSize: PAGE_SIZE, measure });
  const shown = pages.slice(0, MOST_PAGES).map((page) => {
    const message = formatPage({ markdown: page, buttons: [] });
    return message.kind === "message" ? message.content : "…";
  });
  const [content = "…", ...cards] = shown;
  if (pages.length > MOST_PAGES) cards.push("…");
  return { content, embeds: cards.map((description) => ({ description })) };
}
