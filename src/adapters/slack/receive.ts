/**
 * One delivery of Slack's, from the payload to what is stored. In this order: parse, one insert, and only then may the
 * connection acknowledge; what a person is told comes after that.
 */

import type { Command } from "../../core/command/command.ts";
import type { Commands } from "../../core/command/commands.ts";
import type { InboundId, RunId } from "../../core/ids.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Transcripts } from "../../core/ports/transcripts.ts";
import type { Intake } from "../../core/run/intake.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import { formatPage } from "./format.ts";
import type { SlackBot } from "./identity.ts";
import { parseInteraction, personIn } from "./interaction.ts";
import { parseEvent, peopleIn, type Asked } from "./parse.ts";
import type { Payload } from "./payload.ts";
import type { SlackPeople } from "./people.ts";
import { ephemeral, MOST_THREADS, threadPicker } from "./picker.ts";
import type { PrivateAnswers } from "./private-answers.ts";
import type { AnswerPlace } from "./tell.ts";

export interface Taken {
  /** What the acknowledgement says to the person, where it can. */
  readonly response?: Payload;
  /** What is left to do after the acknowledgement. Never rejects. */
  readonly after?: () => Promise<void>;
}

/** Rejects when something could not be stored: then it must not be acknowledged. */
export type Receive = (body: Payload) => Promise<Taken>;

export interface ReceiveDeps {
  readonly intake: Intake;
  readonly commands: Commands;
  readonly transcripts: Pick<Transcripts, "recent">;
  readonly people: SlackPeople;
  readonly answers: Pick<PrivateAnswers, "owe">;
  /** Takes Slack's sign of work away from a thread. Never throws. */
  readonly showIdle?: (session: SessionId) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export function createReceive(deps: ReceiveDeps, bot: SlackBot): Receive {
  const { intake, commands, transcripts, people, answers, clock, log } = deps;

  async function event(envelope: Payload): Promise<Taken> {
    let parsed = parseEvent(envelope, bot, people.nameOf);
    // Most events are for nobody here, and most people are known.
    if (parsed.kind !== "nothing" && (await people.learn(peopleIn(envelope)))) {
      parsed = parseEvent(envelope, bot, people.nameOf);
    }
    switch (parsed.kind) {
      case "nothing":
        log.debug("an event of Slack's is not for the bot", { why: parsed.why });
        return {};
      case "inbound":
        await intake.receive(parsed.inbound);
        return {};
      case "command":
        return command(parsed.asked, {});
      default:
        return parsed satisfies never;
    }
  }

  async function command(
    asked: Asked,
    more: { readonly run?: RunId; readonly answerTo?: string },
  ): Promise<Taken> {
    const { command: wanted, session, author, id, at, answerAt } = asked;
    const { text } = await commands.run(wanted, { session, author, id, at, ...more });
    if (answerAt === undefined) {
      // Slack's own Stop leaves the sign of work to the app, also where nothing runs any more.
      deps.showIdle?.(session);
      return {};
    }
    const { answerTo } = more;
    return owed(id, { at: answerAt, ...(answerTo === undefined ? {} : { answerTo }) }, text);
  }

  async function owed(id: InboundId, place: AnswerPlace, text: string): Promise<Taken> {
    const tell = await answers.owe(id, place, text);
    return tell === undefined ? {} : { after: tell };
  }

  /** Who asks at the top of a channel is told which of its threads it was. */
  async function picked(asked: Asked, answerTo: string): Promise<Taken> {
    const { command: wanted, session, author, id, at, answerAt } = asked;
    const { text } = await commands.run(wanted, { session, author, id, at, answerTo });
    const recent = await transcripts.recent("slack", bot.space, threadOf(session).channel, MOST_THREADS);
    const label = recent.find((each) => each.session === session)?.label;
    const said = label === undefined ? text : `“${label}”\n\n${text}`;
    return answerAt === undefined ? {} : owed(id, { at: answerAt, answerTo, isReplaced: true }, said);
  }

  async function interaction(body: Payload): Promise<Taken> {
    await people.learn(personIn(body));
    const parsed = parseInteraction(body, bot, people.nameOf, clock.now());
    switch (parsed.kind) {
      case "nothing":
        return {};
      case "command": {
        const { asked, run, answerTo } = parsed;
        return command(asked, {
          ...(run === undefined ? {} : { run }),
          ...(answerTo === undefined ? {} : { answerTo }),
        });
      }
      case "picked":
        return picked(parsed.asked, parsed.answerTo);
      case "which_thread":
        return { response: await whichThread(parsed.command, parsed.channel) };
      case "help":
        return { response: help() };
      default:
        return parsed satisfies never;
    }
  }

  async function whichThread({ name }: Command, channel: string): Promise<Payload> {
    const recent = await transcripts.recent("slack", bot.space, channel, MOST_THREADS);
    return threadPicker(name, recent, clock.now());
  }

  function help(): Payload {
    const page = formatPage({ markdown: commands.help(), buttons: [] });
    return page.kind === "message" ? { ...ephemeral(page.text), blocks: page.blocks } : {};
  }

  return (body) => (body["type"] === "event_callback" ? event(body) : interaction(body));
}
