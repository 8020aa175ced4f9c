/** The command layer: one answer per command, in plain markdown; surfaces only present it. */

import type { Access } from "../access/access.ts";
import { END_REASONS } from "../end-reason.ts";
import type { Author, CommandInbound, Where } from "../inbound.ts";
import type { InboundId, RunId } from "../ids.ts";
import { labelOf } from "../label.ts";
import { formOf, type Begun, type GoalForm } from "../goal/form.ts";
import type { GoalRef } from "../goal/ref.ts";
import type { Branching } from "../branch/branching.ts";
import type { Clock } from "../ports/clock.ts";
import type { FeedbackValue } from "../feedback.ts";
import type { FeedbackBook } from "../ports/feedback.ts";
import type { Log } from "../ports/log.ts";
import type { SessionStatus, Transcripts } from "../ports/transcripts.ts";
import type { Intake } from "../run/intake.ts";
import { threadOf, type SessionId, type Thread } from "../thread.ts";
import { UNSET, type SessionSettings } from "../session-settings.ts";
import { headOf, isBlank } from "../text.ts";
import {
  isSetting,
  isStored as isStoredCommand,
  type Command,
  type CommandName,
  type SessionCommand,
  type SettingCommand,
} from "./command.ts";
import { describeCommands, describeQueue, describeStatus, describeWhy } from "./describe.ts";
import { describeDetails, describeUsage } from "./describe-run.ts";
import {
  choicesFor,
  describeSet,
  describeSetting,
  refusalOfSetting,
  type Choice,
} from "./describe-settings.ts";
import { describeGoal, spentOnGoal, standingOfGoal } from "../goal/describe.ts";
import { goesOn } from "../goal/goal.ts";
import type { Door } from "../admin/door.ts";
import type { GoalCommands } from "./goal-command.ts";
import type { Models } from "./models.ts";
import { COMMANDS } from "./table.ts";

export interface CommandRequest {
  readonly session: SessionId;
  readonly author: Author;
  readonly where?: Where;
  /** Identity of this command: the same for every delivery of it. */
  readonly id: InboundId;
  /** ms since 1970. */
  readonly at: number;
  /** `at` is of the clock that times the thread's messages, the platform's; absent where it is when it came to us. */
  readonly hasPlatformTime?: true;
  readonly answerTo?: string;
  /** The run whose button was clicked. Of a button that does something: where another run counts by now, nothing is done, and the answer says so. */
  readonly run?: RunId;
  /** The same of a goal's button. */
  readonly goal?: GoalRef;
  /** The proposed goal whose button was clicked. */
  readonly proposal?: string;
  /**
   * The place is the bot's alone (a direct conversation, the web chat), so what is set there counts also before anything was said.
   * Elsewhere a session made by a command would have the bot answer to all that is said there.
   */
  readonly mayBegin?: true;
}

export interface CommandResult {
  /** Markdown for the person who asked. */
  readonly text: string;
  /** What may be chosen for the command, where it was given without a choice by somebody who may choose. */
  readonly choices?: readonly Choice[];
  /** What the thread is called from now on, where the command has changed that: a platform that shows a name may show this one. */
  readonly title?: string;
  /** The thread began anew. */
  readonly isReset?: true;
}

type Place = Pick<Thread, "platform" | "space" | "channel">;

export interface Commands {
  /**
   * Who may not is told so, and nothing is done. Asked each time, also for a click: a button is there for everybody who sees it.
   * Rejects only when a command that changes the session could not be stored. A delivery of it that comes again changes nothing
   * and is answered like the first one, as far as things are still so.
   */
  run(command: Command, request: CommandRequest): Promise<CommandResult>;
  /** What the person is told who may not give this command there; undefined for who may. */
  refusal(name: CommandName, author: Author, place: Place, where?: Where): string | undefined;
  /** What `admin` answers, for where there is no thread to ask in; for who may not, what they are told. */
  admin(request: Omit<CommandRequest, "session"> & { readonly place: Place }): Promise<string>;
  /**
   * The text of the thread's goal, to be changed in a form; without one an empty form.
   * @param begun what was asked for already, where only a text is missing.
   */
  goalForm(session: SessionId, begun?: Begun): Promise<GoalForm>;
  /** The list of commands, for where there is no thread to ask in. @param word what was taken for one, and is none. */
  help(word?: string): string;
  /**
   * What may be given to a command that takes a choice, with what holds now in the session; for pickers and completion. None for the
   * others.
   */
  choices(name: CommandName, session?: SessionId): Promise<readonly Choice[]>;
}

export interface CommandDeps {
  readonly access: Access;
  readonly log: Log;
  readonly intake: Intake;
  readonly branching: Pick<Branching, "ask">;
  readonly transcripts: Transcripts;
  readonly models: Models;
  readonly goals: GoalCommands;
  /** To the pages on which threads are reviewed. */
  readonly door: Door;
  readonly feedback: Pick<FeedbackBook, "give">;
  readonly clock: Clock;
}

export interface CommandOptions {
  /** How a person writes a command on this surface. By default with a slash: `/stop`. */
  readonly written?: (name: CommandName) => string;
}

export function createCommands(deps: CommandDeps, options: CommandOptions = {}): Commands {
  const written = options.written ?? ((name) => `/${name}`);

  function help(word?: string): string {
    const list = describeCommands(written);
    return word === undefined ? list : `There is no command \`${word}\`.\n\n${list}`;
  }

  function inboundOf(command: SessionCommand, request: CommandRequest): CommandInbound {
    return {
      v: 1,
      kind: "command",
      command,
      id: request.id,
      session: request.session,
      author: request.author,
      at: request.at,
      addressed: request.mayBegin === true && isSetting(command),
      ...(request.where === undefined ? {} : { where: request.where }),
      ...(request.hasPlatformTime === undefined ? {} : { hasPlatformTime: true }),
      ...(request.answerTo === undefined ? {} : { answerTo: request.answerTo }),
    };
  }

  /** Stored like a message, so that its place among the messages is kept and a second delivery changes nothing. */
  function store(command: SessionCommand, request: CommandRequest) {
    return deps.intake.receive(inboundOf(command, request));
  }

  async function isStored({ session, id }: CommandRequest): Promise<boolean> {
    return (await deps.transcripts.inbounds(session)).some(({ inbound }) => inbound.id === id);
  }

  const settingsOf = async ({ session }: Pick<CommandRequest, "session">): Promise<SessionSettings> =>
    (await deps.transcripts.settings(session)) ?? UNSET;

  async function set(command: SettingCommand, request: CommandRequest): Promise<string> {
    const refused = refusalOfSetting(command, written(command.name), deps.models, await settingsOf(request));
    if (refused !== undefined) return refused;
    const receipt = await store(command, request);
    if (receipt.kind === "refused") return receipt.answer ?? REFUSED;
    if (receipt.kind === "ignored") return NOTHING_HERE;
    const isQuiet = command.name === "mute" && command.value === "on";
    // Also of a delivery that comes again: the one before may have got no further than the setting.
    const goal = isQuiet ? await deps.goals.quiet(request) : undefined;
    return goal === undefined ? describeSet(command) : `${describeSet(command)} ${goal}`;
  }

  async function tellSetting(
    name: Parameters<typeof describeSetting>[0],
    request: CommandRequest,
  ): Promise<string> {
    const settings = await settingsOf(request);
    const first = name === "title" ? await firstTextOf(request.session) : undefined;
    return describeSetting(name, written(name), deps.models, settings, first);
  }

  async function firstTextOf(session: SessionId): Promise<string | undefined> {
    const inbounds = await deps.transcripts.inbounds(session);
    const first = inbounds.find(({ inbound, fate }) => inbound.kind === "message" && fate !== "refused");
    if (first?.inbound.kind !== "message") return undefined;
    return first.inbound.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
  }

  async function answer(command: Command, request: CommandRequest): Promise<string> {
    switch (command.name) {
      case "help":
        return help(command.word);
      case "status": {
        const status = await deps.transcripts.status(request.session);
        const text = describeStatus(status, deps.clock.now(), await settingsOf(request));
        const goal = await deps.goals.open(request.session);
        return goal === undefined ? text : `${text}\n\n${describeGoal(goal, deps.clock.now())}`;
      }
      case "goal":
        return deps.goals.run(command.value, request);
      case "queue":
        return describeQueue(await deps.transcripts.inbounds(request.session));
      case "usage":
        return describeUsage(await deps.transcripts.usage(request.session));
      case "details":
        return details(command.message, request);
      case "feedback":
        return feedback(command.value, request);
      case "model":
      case "effort":
      case "verbosity":
      case "title":
      case "follow":
      case "mute":
        return isStoredCommand(command) ? set(command, request) : tellSetting(command.name, request);
      case "reload":
        return set(command, request);
      case "transcript":
        return deps.door.open({ ...request, place: threadOf(request.session) });
      case "admin": {
        const { session, ...asked } = request;
        return deps.door.open({ ...asked, place: threadOf(session) });
      }
      case "why":
        return describeWhy(await deps.transcripts.inbounds(request.session), command.message);
      case "stop": {
        if (request.run !== undefined) {
          const status = await deps.transcripts.status(request.session);
          // A button that was left standing must not stop whatever runs in the thread today.
          if (status?.running?.run !== request.run) {
            const over = "That answer has already ended.";
            const goal = await deps.goals.open(request.session);
            if (goal === undefined) return over;
            const how = goesOn(goal) ? ` \`${written("goal")} pause\` holds it up.` : "";
            return `${over} ${standingOfGoal(goal, deps.clock.now())}${how}`;
          }
        }
        const receipt = await store(command, request);
        const isRunning =
          receipt.kind === "duplicate"
            ? (await deps.transcripts.status(request.session))?.running !== undefined
            : receipt.kind === "stored" && receipt.running;
        const text = isRunning ? "Stopping." : "Nothing is running in this thread.";
        const goal = await deps.goals.open(request.session);
        if (goal !== undefined) deps.goals.changed(request.session);
        return goal === undefined ? text : `${text} ${standingOfGoal(goal, deps.clock.now())}`;
      }
      case "reset": {
        const goal = await deps.goals.open(request.session);
        const receipt = await store(command, request);
        if (receipt.kind === "ignored") return "There is nothing to reset here yet.";
        if (goal !== undefined) deps.goals.changed(request.session);
        const text = "This thread begins anew: the bot no longer sees what was said above.";
        return goal === undefined ? text : `${text} Its goal has ended. Spent: ${spentOnGoal(goal)}.`;
      }
      case "retry": {
        const refusal = refusalOfRetry(await deps.transcripts.status(request.session), request.run);
        // What was stored by an earlier delivery may be what runs or has ended by now.
        if (refusal !== undefined) return (await isStored(request)) ? "Trying again." : refusal;
        if ((await settingsOf(request)).isMuted)
          return `The bot is quiet in this thread. \`${written("mute")} off\` changes that.`;
        const receipt = await store(command, request);
        return receipt.kind === "refused" ? (receipt.answer ?? REFUSED) : "Trying again.";
      }
      case "branch":
        return deps.branching.ask(inboundOf(command, request), command.message);
      default:
        return command satisfies never;
    }
  }

  async function details(message: string | undefined, request: CommandRequest): Promise<string> {
    const { transcripts, clock } = deps;
    const { session, run: ofButton } = request;
    if (ofButton !== undefined) {
      const known = await transcripts.run(session, ofButton);
      return known === undefined ? NOT_KEPT : describeDetails(known, clock.now());
    }
    if (message === undefined) return describeDetails(await transcripts.newestRun(session), clock.now());
    const run = await transcripts.runOf(session, message);
    return run === undefined ? "The bot did not work on that message." : describeDetails(run, clock.now());
  }

  async function feedback(value: FeedbackValue | undefined, request: CommandRequest): Promise<string> {
    const { session, author: person, at, run } = request;
    if (value === undefined)
      return `Was the last answer good? \`${written("feedback")} good\` or \`${written("feedback")} bad\` says so.`;
    const given = { session, person, value, at, ...(run === undefined ? {} : { run }) };
    if (!(await deps.feedback.give(given))) return run === undefined ? NO_ANSWER : NOT_KEPT;
    return value === "good"
      ? "Noted, thank you."
      : "Noted, thank you. Reply in the thread with what was wrong, and the bot takes it in.";
  }

  const choices: Commands["choices"] = async (name, session) => {
    const settings = session === undefined ? undefined : await deps.transcripts.settings(session);
    return choicesFor(name, deps.models, settings);
  };

  /** None where nothing can be set yet. */
  async function choicesIn(name: CommandName, request: CommandRequest): Promise<readonly Choice[]> {
    const settings = await deps.transcripts.settings(request.session);
    if (settings === undefined && request.mayBegin !== true) return [];
    return choicesFor(name, deps.models, settings);
  }

  const refusal: Commands["refusal"] = (name, author, place, where) => {
    const decision = deps.access.ofCommand(name, author, place, where);
    if (decision.kind === "allow") return undefined;
    deps.log.info("a command was refused", { command: name, author: author.id, rule: decision.rule });
    return decision.kind === "refuse" ? decision.answer : REFUSED;
  };

  return {
    async run(given, request) {
      const command = tidied(given);
      const refused = refusal(command.name, request.author, threadOf(request.session), request.where);
      if (refused !== undefined) {
        // Kept in the ledger with its rule, as everything that was for the bot.
        if (isStoredCommand(command)) await store(command, request);
        return { text: refused };
      }
      const text = await answer(command, request);
      if (COMMANDS[command.name].argument.kind === "choice" && !isStoredCommand(command))
        return { text, choices: await choicesIn(command.name, request) };
      if (command.name === "reset") return { text, isReset: true };
      if (command.name !== "title" || command.value === undefined) return { text };
      const title = (await settingsOf(request)).title?.text;
      return title === undefined ? { text } : { text, title: labelOf({ title }) };
    },
    refusal,
    admin: async (request) =>
      refusal("admin", request.author, request.place, request.where) ?? deps.door.open(request),
    goalForm: async (session, begun) => formOf(await deps.goals.open(session), begun),
    help,
    choices,
  };
}

const NO_ANSWER = "The bot has not answered anything in this thread yet.";
const NOT_KEPT = "Nothing is kept of that answer any more.";
const REFUSED = "You may not do that here.";
const NOTHING_HERE = "Nothing has been said to the bot in this thread yet.";

/** A title is one line of whole characters; a blank one asks for the title. */
function tidied(command: Command): Command {
  if (command.name !== "title" || command.value === undefined) return command;
  const line = command.value.replaceAll(/\s+/gu, " ").trim();
  const { argument } = COMMANDS.title;
  if (isBlank(line)) return { name: "title" };
  return { name: "title", value: argument.kind === "text" ? headOf(line, argument.longest) : line };
}

function refusalOfRetry(status: SessionStatus | undefined, run: RunId | undefined): string | undefined {
  if (status?.running !== undefined) return "The bot is still working on the last message.";
  if (status?.last === undefined || !END_REASONS[status.last.outcome.reason].canRetry)
    return "There is nothing to try again.";
  if (run !== undefined && run !== status.last.run)
    return "There is a newer answer in this thread; only the last one can be tried again.";
  return undefined;
}
