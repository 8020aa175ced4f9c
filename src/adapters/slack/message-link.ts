/** The address of a message in Slack, which names its thread as well. Pure. */

import type { Command } from "../../core/command/command.ts";
import type { SessionId } from "../../core/thread.ts";
import { sessionAt } from "./identity.ts";

const LINK = /\/archives\/(\w+)\/p(\d+)(\d{6})(?:\?(\S*))?$/;

/** As admins look for a thread: parts of its id. */
export function readSlackAddress(address: string): readonly (readonly string[])[] {
  const [, channel, seconds, micros, query = ""] = LINK.exec(address) ?? [];
  if (channel === undefined) return [];
  return [[channel, new URLSearchParams(query).get("thread_ts") ?? `${seconds}.${micros}`]];
}

/**
 * The command with the message's id in place of its address, and the thread in which that lies; undefined where the command names no
 * address. Only who asks why is told of another channel than the one where they ask: that is for admins. For any other command such
 * a message is one that is not there.
 */
export function linkedIn(
  command: Command,
  { space, channel: here }: { readonly space: string; readonly channel: string },
): { readonly command: Command; readonly session: SessionId | undefined } | undefined {
  if (!("message" in command) || command.message === undefined) return undefined;
  const link = LINK.exec(command.message);
  if (link === null) return undefined;
  const [, channel, seconds, micros, query = ""] = link;
  const message = `${seconds}.${micros}`;
  const about: Command = { ...command, message };
  if (command.name !== "why" && channel !== here) return { command: about, session: undefined };
  const root = new URLSearchParams(query).get("thread_ts") ?? message;
  return { command: about, session: sessionAt(space, channel, root) };
}
