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
import type { SessionId } from "../../core/thread.ts";
import { formatPage } from "./format.ts";
import type { SlackBot } from "./identity.ts";
import { parseInteraction, personIn } from "./interaction.ts";
import { parseEvent, peopleIn, type Asked } from "./parse.ts";
import type { Payload } from "./payload.ts";
import type { SlackPeople } from "./people.ts";
import { ephemeral, MOST_THREADS, threadPicker } from "./picker.ts";
import type { Tell } from "./tell.ts";

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
  readonly tell: Tell;
  /** Takes Slack's sign of work away from a thread. Never throws. */
  readonly showIdle?: (session: SessionId) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Commands whose answer was begun here; two copies of one message come within seconds. */
const REMEMBERED = 1_000;

export function createReceive(deps: ReceiveDeps, bot: SlackBot): Receive {
  const { intake, commands, transcripts, people, tell, clock, log } = deps;
  const begun = new Set<InboundId>();

  async function event(envelope: Payload): Promise<Taken> {
    let parsed = parseEvent(envelope, bot, people.nameOf);
    if (parsed.kind !== "nothing") {
      await people.learn(peopleIn(envelope));
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
    // Claimed before the first wait, so that of two copies one answers; given back when it could not be stored.
    if (begun.has(id)) return {};
    remember(id);
    try {
      const result = await commands.run(wanted, { session, author, id, at, ...more });
      // Slack's own Stop leaves the sign of work to the app, also where nothing runs any more.
      if (answerAt === undefined) deps.showIdle?.(session);
      if (answerAt === undefined || result.kind === "repeat") return {};
      return { after: () => tell.at(answerAt, result.text, more.answerTo) };
    } catch (error) {
      begun.delete(id);
      throw error;
    }
  }

  function remember(id: InboundId): void {
    begun.add(id);
    const [oldest] = begun;
    if (begun.size > REMEMBERED && oldest !== undefined) begun.delete(oldest);
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
      case "picked": {
        const { asked, answerTo } = parsed;
        const { command: wanted, session, author, id, at, answerAt } = asked;
        const result = await commands.run(wanted, { session, author, id, at, answerTo });
        return {
          async after() {
            const isTold = await tell.instead(answerTo, result.text);
            if (!isTold && answerAt !== undefined) await tell.at(answerAt, result.text);
          },
        };
      }
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
