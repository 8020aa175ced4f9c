/** Clicks, shortcuts and slash commands: what Slack sends for each, as a command or as a question for one. Pure. */

import { clickOf, type About } from "../../core/command/button.ts";
import type { Command } from "../../core/command/command.ts";
import { parseCommand } from "../../core/command/parse.ts";
import { setsGoal, type GoalThreadAsked } from "../../core/command/goal-thread.ts";
import { COMMANDS } from "../../core/command/table.ts";
import { writtenIn } from "../../core/goal/form.ts";
import type { Author } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import { headOf } from "../../core/text.ts";
import { sessionIdOf, threadOf, type SessionId } from "../../core/thread.ts";
import { authorOf, type AuthorReading } from "./author.ts";
import { chosenIn } from "./choices.ts";
import { actionIn, FEEDBACK_ID } from "./format.ts";
import { GOAL_FORM, submittedIn } from "./goal-form.ts";
import { REFRESH_ACTION } from "./home-view.ts";
import type { HomeOpened } from "./home.ts";
import { isDirectChannel, sessionAt, slackInboundId, type SlackBot } from "./identity.ts";
import { linkedIn } from "./message-link.ts";
import type { Asked, AskedAt } from "./parse.ts";
import { fieldsOf, listOf, textOf, timeOf, type Payload } from "./payload.ts";
import type { FactsOf } from "./people.ts";
import { readText, type NameOf } from "./text.ts";

/** Message shortcuts by their callback id: what each asks for. @param message that it was used on. */
export const SHORTCUTS: Readonly<Record<string, (message: string) => Command>> = {
  bobbin_branch: (message) => ({ name: "branch", message }),
  [GOAL_FORM]: () => ({ name: "goal" }),
  bobbin_details: (message) => ({ name: "details", message }),
  bobbin_reset: () => ({ name: "reset" }),
  bobbin_stop: () => ({ name: "stop" }),
};

/** Slash commands; they cannot be used in threads, so each asks which thread is meant. */
export const SLASH_COMMANDS = ["/bobbin", "/goal", "/reset"] as const;

export type Interaction =
  /** A button or shortcut. `about`: what the button was of. */
  | { readonly kind: "command"; readonly asked: Asked; readonly about?: About; readonly answerTo?: string }
  /** Somebody wants to write a goal, or change it: the form is opened with the trigger, which is good for three seconds. */
  | {
      readonly kind: "goal_form";
      readonly asked: Asked;
      readonly trigger: string;
      readonly answerTo?: string;
    }
  /** Something was chosen in a menu, which the answer replaces. `isElsewhere`: the menu stands in no thread. */
  | {
      readonly kind: "chosen";
      readonly asked: Asked;
      readonly answerTo: string;
      readonly isElsewhere: boolean;
    }
  /** A slash command that needs a thread. */
  | {
      readonly kind: "which_thread";
      readonly command: Command;
      readonly channel: string;
      readonly author: Author;
    }
  /** A button of ours that only another version knows. */
  | {
      readonly kind: "unknown_button";
      readonly id: InboundId;
      readonly answerAt: AskedAt;
      readonly answerTo?: string;
    }
  /** A goal is given where there is no thread: it gets one. */
  | {
      readonly kind: "goal_thread";
      readonly asked: GoalThreadAsked;
      readonly channel: string;
      readonly answerTo?: string;
    }
  /** The Home tab shall be made anew. */
  | { readonly kind: "home"; readonly opened: HomeOpened }
  /** A command about the space and not about a thread. */
  | { readonly kind: "admin"; readonly asked: Omit<Asked, "session" | "command">; readonly channel: string }
  /** `word`: what was taken for a command. */
  | { readonly kind: "help"; readonly channel: string; readonly author: Author; readonly word?: string }
  /** Not ours, or not as Slack sends it: acknowledged, and nothing more. */
  | { readonly kind: "nothing" };

/**
 * @param body of an interactive payload or a slash command.
 * @param now for what carries no time of its own.
 */
export function parseInteraction(
  body: Payload,
  bot: SlackBot,
  nameOf: NameOf,
  now: number,
  factsOf: FactsOf = () => undefined,
): Interaction {
  const reading: AuthorReading = { bot, nameOf, factsOf };
  if (textOf(body["command"]) !== undefined) return parseSlash(body, reading, now);
  switch (body["type"]) {
    case "block_actions":
      return parseClick(body, reading, now);
    case "message_action":
      return parseShortcut(body, reading, now);
    case "view_submission":
      return parseForm(body, reading, now);
    default:
      return { kind: "nothing" };
  }
}

/** Whose name and rights an interaction needs. */
export function personIn(body: Payload): string | undefined {
  return textOf(fieldsOf(body["user"])["id"]) ?? textOf(body["user_id"]);
}

function parseClick(body: Payload, reading: AuthorReading, now: number): Interaction {
  const action = fieldsOf(listOf(body["actions"])[0]);
  const container = fieldsOf(body["container"]);
  const message = fieldsOf(body["message"]);
  const channel = textOf(container["channel_id"]) ?? textOf(fieldsOf(body["channel"])["id"]);
  const at = timeOf(textOf(action["action_ts"])) ?? now;
  const answerTo = textOf(body["response_url"]);
  const actionId = textOf(action["action_id"]) ?? "";

  if (actionId === REFRESH_ACTION) return parseHome(body);
  const chosen = chosenIn(action);
  if (chosen !== undefined) {
    const asked = askedOf(body, { reading, channel, at, ...chosen });
    if (asked === undefined || answerTo === undefined) return { kind: "nothing" };
    return { kind: "chosen", asked, answerTo, isElsewhere: textOf(container["thread_ts"]) === undefined };
  }
  const pressed = pressedIn(actionId, textOf(action["value"]));
  if (pressed === undefined) return { kind: "nothing" };
  const root =
    textOf(container["thread_ts"]) ?? textOf(message["thread_ts"]) ?? textOf(container["message_ts"]);
  if (pressed.name === "edit") return openForm(body, { reading, channel, root, at }, answerTo);
  const clicked = clickOf(pressed.name, pressed.value);
  const asked = askedOf(body, { reading, channel, root, at, command: clicked?.command ?? { name: "help" } });
  if (asked === undefined) return { kind: "nothing" };
  return clicked === undefined
    ? unknownButton(asked, answerTo)
    : {
        kind: "command",
        asked,
        about: clicked.about,
        ...(answerTo === undefined ? {} : { answerTo }),
      };
}

/** The button of ours that was pressed, and what it carries. */
function pressedIn(
  actionId: string,
  value: string | undefined,
): { readonly name: string; readonly value: string | undefined } | undefined {
  if (actionId !== FEEDBACK_ID) {
    const name = actionIn(actionId);
    return name === undefined ? undefined : { name, value };
  }
  const [name = "", ...rest] = (value ?? "").split(" ");
  return { name, value: rest.join(" ") };
}

function unknownButton({ id, answerAt }: Asked, answerTo: string | undefined): Interaction {
  if (answerAt === undefined) return { kind: "nothing" };
  return { kind: "unknown_button", id, answerAt, ...(answerTo === undefined ? {} : { answerTo }) };
}

function openForm(
  body: Payload,
  of: Omit<Parameters<typeof askedOf>[1], "command">,
  answerTo: string | undefined,
): Interaction {
  const asked = askedOf(body, { ...of, command: { name: "goal" } });
  const trigger = textOf(body["trigger_id"]);
  if (asked === undefined || trigger === undefined) return { kind: "nothing" };
  return { kind: "goal_form", asked, trigger, ...(answerTo === undefined ? {} : { answerTo }) };
}

/** A form is sent once, however often Slack brings it. */
function parseForm(body: Payload, reading: AuthorReading, now: number): Interaction {
  const submitted = submittedIn(body);
  const view = textOf(fieldsOf(body["view"])["id"]);
  if (submitted === undefined || view === undefined) return { kind: "nothing" };
  const { place, text } = submitted;
  const { channel, root, goal } = place;
  const command: Command = { name: "goal", value: writtenIn(goal === undefined ? {} : { id: goal }, text) };
  const asked = askedOf({ ...body, trigger_id: view }, { reading, channel, root, at: now, command });
  if (asked === undefined) return { kind: "nothing" };
  return { kind: "command", asked, about: goal === undefined ? {} : { goal: { id: goal } } };
}

function parseHome(body: Payload): Interaction {
  const user = personIn(body);
  const hash = textOf(fieldsOf(body["view"])["hash"]);
  const team = textOf(fieldsOf(body["team"])["id"]);
  if (user === undefined) return { kind: "nothing" };
  return {
    kind: "home",
    opened: { user, ...(hash === undefined ? {} : { hash }), ...(team === undefined ? {} : { team }) },
  };
}

function parseShortcut(body: Payload, reading: AuthorReading, now: number): Interaction {
  const callbackId = textOf(body["callback_id"]) ?? "";
  const message = fieldsOf(body["message"]);
  const command = Object.hasOwn(SHORTCUTS, callbackId)
    ? SHORTCUTS[callbackId]?.(textOf(message["ts"]) ?? "")
    : undefined;
  if (command === undefined) return { kind: "nothing" };
  const channel = textOf(fieldsOf(body["channel"])["id"]);
  const root = textOf(message["thread_ts"]) ?? textOf(message["ts"]);
  const at = timeOf(textOf(body["action_ts"])) ?? now;
  const answerTo = textOf(body["response_url"]);
  if (callbackId === GOAL_FORM) return openForm(body, { reading, channel, root, at }, answerTo);
  const asked = askedOf(body, { reading, channel, root, at, command });
  return asked === undefined
    ? { kind: "nothing" }
    : { kind: "command", asked, ...(answerTo === undefined ? {} : { answerTo }) };
}

function parseSlash(body: Payload, reading: AuthorReading, now: number): Interaction {
  const user = personIn(body);
  const channel = textOf(body["channel_id"]);
  const name = SLASH_COMMANDS.find((each) => each === body["command"]);
  if (channel === undefined || name === undefined || user === undefined) return { kind: "nothing" };
  const author = authorOf(user, reading, { name: textOf(body["user_name"]), team: textOf(body["team_id"]) });
  const text = readText(textOf(body["text"]) ?? "", reading.nameOf).trim();
  if (name === "/goal" && text !== "" && setsGoal(text))
    return parseGoal(body, { reading, author, channel, text, now });
  const line =
    name === "/bobbin" ? text.replace(/^\//, "") : name === "/goal" ? `goal ${text}`.trim() : name.slice(1);
  const command = parseCommand(`/${line}`);
  const linked = command && linkedIn(command, { space: reading.bot.space, channel });
  if (linked?.session !== undefined) return slashAbout(body, { author, channel, now, ...linked });
  if (command !== undefined && COMMANDS[command.name].isAnywhere !== true)
    return { kind: "which_thread", command, channel, author };
  if (command?.name === "admin") {
    const { bot } = reading;
    const [app, trigger] = [textOf(body["api_app_id"]), textOf(body["trigger_id"])];
    if (app === undefined || trigger === undefined) return { kind: "nothing" };
    const id = slackInboundId({ app, space: bot.space, channel }, "command", trigger);
    const where = isDirectChannel(channel) ? { where: { isDirect: true } as const } : {};
    return { kind: "admin", asked: { author, id, at: now, ...where }, channel };
  }
  const isAsked = line === "" || (command?.name === "help" && command.word === undefined);
  return { kind: "help", channel, author, ...(isAsked ? {} : { word: headOf(`${name} ${line}`, 80) }) };
}

/** Only the channel is meant. */
const NO_ROOT = "0.000000";

function parseGoal(
  body: Payload,
  of: {
    readonly reading: AuthorReading;
    readonly author: Author;
    readonly channel: string;
    readonly text: string;
    readonly now: number;
  },
): Interaction {
  const { reading, author, channel, text: value, now: at } = of;
  const { space } = reading.bot;
  const [app, trigger] = [textOf(body["api_app_id"]), textOf(body["trigger_id"])];
  if (app === undefined || trigger === undefined) return { kind: "nothing" };
  const id = slackInboundId({ app, space, channel }, "command", trigger);
  const where = isDirectChannel(channel) ? { where: { isDirect: true } as const } : {};
  const answerTo = textOf(body["response_url"]);
  return {
    kind: "goal_thread",
    asked: {
      value,
      author,
      id,
      at,
      beside: sessionIdOf({ platform: "slack", space, channel, root: NO_ROOT }),
      ...where,
    },
    channel,
    ...(answerTo === undefined ? {} : { answerTo }),
  };
}

/** A slash command that names its thread by a message in it. */
function slashAbout(
  body: Payload,
  of: Pick<Asked, "command" | "author"> & {
    readonly session: SessionId | undefined;
    readonly channel: string;
    readonly now: number;
  },
): Interaction {
  const { command, session, author, channel, now } = of;
  const app = textOf(body["api_app_id"]);
  const trigger = textOf(body["trigger_id"]);
  const answerTo = textOf(body["response_url"]);
  if (session === undefined || app === undefined || trigger === undefined) return { kind: "nothing" };
  const { space, channel: there } = threadOf(session);
  const where = isDirectChannel(there) ? { where: { isDirect: true } as const } : {};
  const id = slackInboundId({ app, space, channel }, "command", trigger);
  const answerAt: AskedAt = { channel, user: author.id };
  return {
    kind: "command",
    asked: { command, session, author, ...where, id, at: now, answerAt },
    ...(answerTo === undefined ? {} : { answerTo }),
  };
}

/**
 * The install is the bot's own, since a click of somebody from another workspace may carry that one's id; which thread it is
 * for is told by channel and root.
 */
function askedOf(
  body: Payload,
  of: {
    readonly reading: AuthorReading;
    readonly channel: string | undefined;
    readonly root: string | undefined;
    readonly at: number;
    readonly command: Command;
  },
): Asked | undefined {
  const { reading, channel, root, at, command } = of;
  const { bot } = reading;
  const person = fieldsOf(body["user"]);
  const user = textOf(person["id"]);
  const app = textOf(body["api_app_id"]);
  const trigger = textOf(body["trigger_id"]);
  const session = sessionAt(bot.space, channel, root);
  if (session === undefined || channel === undefined || root === undefined) return undefined;
  if (user === undefined || app === undefined || trigger === undefined) return undefined;
  const name = textOf(person["name"]) ?? textOf(person["username"]);
  const author = authorOf(user, reading, { name, team: textOf(person["team_id"]) });
  const where = isDirectChannel(channel) ? { where: { isDirect: true } as const } : {};
  const answerAt: AskedAt = { channel, user, thread: root };
  const id = slackInboundId({ app, space: bot.space, channel }, "command", trigger);
  return { command, session, author, ...where, id, at, answerAt };
}
