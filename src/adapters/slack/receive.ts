/**
 * One delivery of Slack's, from the payload to what is stored. In this order: parse, one insert, and only then may the
 * connection acknowledge; what a person is told comes after that.
 */

import type { About } from "../../core/command/button.ts";
import { UNKNOWN_BUTTON } from "../../core/command/button.ts";
import type { Command } from "../../core/command/command.ts";
import type { CommandResult, Commands } from "../../core/command/commands.ts";
import type { Author, Inbound } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { ReactionBook } from "../../core/ports/reactions.ts";
import type { Transcripts } from "../../core/ports/transcripts.ts";
import type { Intake } from "../../core/run/intake.ts";
import type { GoalWakes } from "../../core/run/wake-goal.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import { ephemeral, MOST_OPTIONS, threadPicker } from "./choices.ts";
import { authorOf } from "./author.ts";
import { formatPage } from "./format.ts";
import { FIELD_UNITS, goalForm } from "./goal-form.ts";
import type { Home } from "./home.ts";
import { appOf, isDirectChannel, slackInboundId, type SlackBot } from "./identity.ts";
import { parseInteraction, personIn } from "./interaction.ts";
import { createKeepReaction } from "./keep-reaction.ts";
import { parseEvent, peopleIn, type Asked, type AskedAt } from "./parse.ts";
import { textOf, type Payload } from "./payload.ts";
import { reactionIn, type SlackReaction } from "./reaction.ts";
import type { SlackPeople } from "./people.ts";
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
  readonly home: Home;
  readonly reactions: ReactionBook;
  /** Rejects when it could not be stored that a goal goes on for it. */
  readonly reacted: GoalWakes["reacted"];
  /** Shows a form to whoever's click brought the trigger. Never rejects. */
  openForm(trigger: string, view: Payload): Promise<void>;
  /** Takes Slack's sign of work away from a thread. Never throws. */
  readonly showIdle?: (session: SessionId) => void;
  /** Shows people in Slack's own list of sessions what a command has made of one. Never rejects. */
  readonly showChanged?: (session: SessionId, change: { readonly title: string } | "reset") => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const TOO_LONG = "This goal is too long for Slack's form. Write `goal edit` and the new text in the thread.";
const REFUSED_AGAIN_MS = 3_600_000;

export function createReceive(deps: ReceiveDeps, bot: SlackBot): Receive {
  const { intake, commands, transcripts, people, answers, home, clock, log } = deps;
  const keep = createKeepReaction(deps, bot);

  async function event(envelope: Payload): Promise<Taken> {
    const { nameOf, factsOf } = people;
    const reaction = reactionIn(envelope, bot);
    if (reaction !== undefined) return reacted(reaction, textOf(envelope["api_app_id"]) ?? "");
    let parsed = parseEvent(envelope, bot, nameOf, factsOf);
    const asker = parsed.kind === "command" ? parsed.asked.author.id : undefined;
    // Most events are for nobody here, and most people are known.
    if (parsed.kind !== "nothing" && (await people.learn(peopleIn(envelope), asker))) {
      parsed = parseEvent(envelope, bot, nameOf, factsOf);
    }
    switch (parsed.kind) {
      case "nothing":
        log.debug("an event of Slack's is not for the bot", { why: parsed.why });
        return {};
      case "inbound": {
        const receipt = await intake.receive(parsed.inbound);
        if (receipt.kind !== "refused" || receipt.answer === undefined || parsed.answerAt === undefined)
          return {};
        return refused(parsed.inbound, parsed.answerAt, receipt.answer);
      }
      case "command":
        return command(parsed.asked, {});
      case "home":
        return { after: () => home.show(parsed.opened) };
      default:
        return parsed satisfies never;
    }
  }

  /** Kept for those who review. Only a goal that waits for it hears of it, of what is given to the bot. */
  async function reacted(reaction: SlackReaction, app: string): Promise<Taken> {
    const { kind, user, channel, ts, emoji, isToBot } = reaction;
    await keep(reaction, app);
    if (kind !== "given" || !isToBot) return {};
    const near = { platform: "slack", space: bot.space, channel } as const;
    await deps.reacted({
      near,
      message: ts,
      async author() {
        await people.learn([user], user);
        const { nameOf, factsOf } = people;
        return authorOf(user, { bot, nameOf, factsOf });
      },
      emoji,
    });
    return {};
  }

  /** Each person is told so once an hour in each thread: whoever goes on asking need not hear it each time. */
  async function refused(
    { id, session, author }: Pick<Inbound, "id" | "session" | "author">,
    at: AskedAt,
    answer: string,
  ): Promise<Taken> {
    const { channel, root = "" } = threadOf(session);
    const place = { app: appOf(id), space: bot.space, channel };
    const tell = await answers.owe(
      bot.space,
      slackInboundId(place, "command", `refused-${author.id}-${root}`),
      { at },
      answer,
      REFUSED_AGAIN_MS,
    );
    return tell === undefined ? {} : { after: tell };
  }

  async function command(asked: Asked, more: About & { readonly answerTo?: string }): Promise<Taken> {
    const { session, id, answerAt } = asked;
    const result = await answerOf(asked, more);
    if (answerAt === undefined) {
      // Slack's own Stop leaves the sign of work to the app, also where nothing runs any more.
      deps.showIdle?.(session);
      return {};
    }
    const { answerTo } = more;
    const place = {
      at: answerAt,
      ...(answerTo === undefined ? {} : { answerTo }),
      ...menuFor(asked, result),
    };
    const told = await owed(id, place, result.text);
    const change = result.title === undefined ? undefined : { title: result.title };
    const shown = change ?? (result.isReset ? "reset" : undefined);
    if (shown === undefined || told.after === undefined || deps.showChanged === undefined) return told;
    // Only with the first delivery of it, and after who asked was told.
    const { after } = told;
    return { ...told, after: () => after().then(() => deps.showChanged?.(session, shown)) };
  }

  async function answerOf(
    { command: wanted, session, author, id, at, hasPlatformTime, where }: Asked,
    more: About & { readonly answerTo?: string },
  ): Promise<CommandResult> {
    const request = {
      session,
      author,
      id,
      at,
      ...(hasPlatformTime === undefined ? {} : { hasPlatformTime }),
      ...(where === undefined ? {} : { where }),
      // Whoever writes to the bot alone may set something before they ask.
      ...(where?.isDirect === true ? { mayBegin: true as const } : {}),
      ...more,
    };
    return commands.run(wanted, request);
  }

  /** What may be chosen can be, without writing it. */
  function menuFor(
    { command: { name }, session }: Asked,
    { choices = [] }: CommandResult,
  ): Pick<AnswerPlace, "choosing"> {
    const { root } = threadOf(session);
    return choices.length === 0 || root === undefined ? {} : { choosing: { name, root, choices } };
  }

  async function owed(id: InboundId, place: AnswerPlace, text: string): Promise<Taken> {
    const tell = await answers.owe(bot.space, id, place, text);
    return tell === undefined ? {} : { after: tell };
  }

  /** Who asks at the top of a channel is told which of its threads it was. */
  async function chosen(asked: Asked, answerTo: string, isElsewhere: boolean): Promise<Taken> {
    const { session, id, answerAt } = asked;
    const result = await answerOf(asked, { answerTo });
    if (answerAt === undefined) return {};
    const said = isElsewhere ? await named(session, result.text) : result.text;
    return owed(id, { at: answerAt, answerTo, isReplaced: true, ...menuFor(asked, result) }, said);
  }

  async function named(session: SessionId, text: string): Promise<string> {
    const recent = await transcripts.recent("slack", bot.space, threadOf(session).channel, MOST_OPTIONS);
    const label = recent.find((each) => each.session === session)?.label;
    return label === undefined ? text : `“${label}”\n\n${text}`;
  }

  async function interaction(body: Payload): Promise<Taken> {
    const person = personIn(body);
    // Who clicks is asked for anew: a button that somebody could use yesterday may be for others today.
    if (person !== undefined) await people.learn([person], person);
    const parsed = parseInteraction(body, bot, people.nameOf, clock.now(), people.factsOf);
    switch (parsed.kind) {
      case "nothing":
        return {};
      case "command": {
        const { asked, about, answerTo } = parsed;
        return command(asked, {
          ...about,
          ...(answerTo === undefined ? {} : { answerTo }),
        });
      }
      case "goal_form":
        return form(parsed.asked, parsed.trigger, parsed.answerTo);
      case "goal_thread": {
        const { asked, channel, answerTo } = parsed;
        const refused = noEntry({ name: "goal" }, { channel, author: asked.author });
        if (refused !== undefined) return { response: refused };
        const at: AskedAt = { channel, user: asked.author.id };
        return owed(asked.id, { at, goal: asked, ...(answerTo === undefined ? {} : { answerTo }) }, "");
      }
      case "home":
        return { after: () => home.show(parsed.opened) };
      case "unknown_button": {
        const { id, answerAt, answerTo } = parsed;
        return owed(id, { at: answerAt, ...(answerTo === undefined ? {} : { answerTo }) }, UNKNOWN_BUTTON);
      }
      case "chosen":
        return chosen(parsed.asked, parsed.answerTo, parsed.isElsewhere);
      case "which_thread":
        return {
          response: noEntry(parsed.command, parsed) ?? (await whichThread(parsed.command, parsed.channel)),
        };
      case "admin": {
        const place = { platform: "slack", space: bot.space, channel: parsed.channel } as const;
        const said = await commands.admin({ ...parsed.asked, place });
        const page = formatPage({ markdown: said, buttons: [] });
        return { response: page.kind === "message" ? { ...ephemeral(page.text), blocks: page.blocks } : {} };
      }
      case "help":
        return { response: noEntry({ name: "help" }, parsed) ?? help(parsed.word) };
      default:
        return parsed satisfies never;
    }
  }

  /** Who may not is told so before they have written anything. */
  async function form(
    { session, author, where, id, answerAt }: Asked,
    trigger: string,
    answerTo: string | undefined,
  ): Promise<Taken> {
    const thread = threadOf(session);
    const known = await commands.goalForm(session);
    const why =
      commands.refusal("goal", author, thread, where) ??
      (known.text.length > FIELD_UNITS ? TOO_LONG : undefined);
    if (why !== undefined && answerAt !== undefined)
      return owed(id, { at: answerAt, ...(answerTo === undefined ? {} : { answerTo }) }, why);
    const { channel, root = "" } = thread;
    return { after: () => deps.openForm(trigger, goalForm(known, { channel, root })) };
  }

  async function whichThread(command: Command, channel: string): Promise<Payload> {
    const recent = await transcripts.recent("slack", bot.space, channel, MOST_OPTIONS);
    return threadPicker(command, recent, clock.now());
  }

  /** What is said to who may not ask for that in this channel. */
  function noEntry(
    { name }: Command,
    { channel, author }: { readonly channel: string; readonly author: Author },
  ): Payload | undefined {
    const where = isDirectChannel(channel) ? { isDirect: true as const } : {};
    const refusal = commands.refusal(name, author, { platform: "slack", space: bot.space, channel }, where);
    return refusal === undefined ? undefined : ephemeral(refusal);
  }

  function help(word?: string): Payload {
    const page = formatPage({ markdown: commands.help(word), buttons: [] });
    return page.kind === "message" ? { ...ephemeral(page.text), blocks: page.blocks } : {};
  }

  return (body) => (body["type"] === "event_callback" ? event(body) : interaction(body));
}
