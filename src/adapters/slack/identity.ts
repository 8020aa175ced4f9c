/** Who the bot is in Slack, and what the ids of things are made of. */

import type { CommandName } from "../../core/command/command.ts";
import { COMMANDS } from "../../core/command/table.ts";
import { inboundIdOf, type Inbound } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import { threadOf, toSessionId, type SessionId, type Thread } from "../../core/thread.ts";

export interface SlackBot {
  /** The install: the workspace's id (T…), or the organisation's (E…) for an install of the whole organisation. */
  readonly space: string;
  /** The bot's user id (U…), as it is mentioned. */
  readonly user: string;
  /** The bot's own id (B…), as its messages carry it. */
  readonly bot: string;
  /** As people see it. */
  readonly name: string;
  /** Where the workspace is, as a browser finds it; absent where Slack did not say. */
  readonly url?: string;
}

/** The thread below this root; undefined when Slack's ids are none. */
export function sessionAt(
  space: string,
  channel: string | undefined,
  root: string | undefined,
): SessionId | undefined {
  return channel === undefined || root === undefined
    ? undefined
    : toSessionId(["slack", space, channel, root].join(":"));
}

/** As people write a command. Free text behind a word alone would be said to the bot, so there the word has a slash. */
export function writtenTo({ name }: SlackBot): (command: CommandName) => string {
  return (command) => `@${name} ${COMMANDS[command].argument.kind === "text" ? "/" : ""}${command}`;
}

/** The address at which Slack opens the thread. */
export function threadUrl({ url, space }: SlackBot, session: SessionId): string {
  const { channel, root = "" } = threadOf(session);
  if (url === undefined) return `https://app.slack.com/client/${space}/${channel}/thread/${channel}-${root}`;
  return new URL(`archives/${channel}/p${root.replace(".", "")}?thread_ts=${root}&cid=${channel}`, url).href;
}

/** A conversation of one person with the bot alone; the events of messages say so in words as well. */
export function isDirectChannel(channel: string): boolean {
  return channel.startsWith("D");
}

/** Whether a space is an install in a whole organisation, and no workspace. */
export function isWideSpace(space: string): boolean {
  return space.startsWith("E");
}

/** Of any platform's addresses those of Slack's. */
export function isDirectAddress({ platform, channel }: Thread): boolean {
  return platform === "slack" && isDirectChannel(channel);
}

/** The app that an identity of Slack's is of. */
export function appOf(id: InboundId): string {
  return id.split("/")[1] ?? "";
}

/** @param app the id of the Slack app: ids of events may repeat across the apps of one process. */
export function slackInboundId(
  place: { readonly app: string; readonly space: string; readonly channel: string },
  kind: Inbound["kind"],
  id: string,
): InboundId {
  return inboundIdOf({ platform: "slack", space: place.space, channel: place.channel }, place.app, kind, id);
}
