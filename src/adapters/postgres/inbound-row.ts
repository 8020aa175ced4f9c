/** Inbounds between their rows and the vocabulary. */

import { isStored, type CommandName, type SessionCommand } from "../../core/command/command.ts";
import { commandOf, COMMANDS } from "../../core/command/table.ts";
import type { Inbound } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import { cleanJsonText } from "../../core/text.ts";
import type { SessionId } from "../../core/thread.ts";
import { toAuthor, toParts } from "./entry-row.ts";
import { fieldsOf, numberOf, optional, StoredJsonError, textOf } from "./stored-json.ts";

/** The JSON text of an inbound for a parameter. */
export function inboundText(inbound: Inbound): string {
  return cleanJsonText(inbound);
}

export function toInbound(value: unknown): Inbound {
  const body = fieldsOf(value, "inbound");
  const common = {
    v: 1,
    id: textOf(body["id"], "id") as InboundId,
    session: textOf(body["session"], "session") as SessionId,
    author: toAuthor(body["author"]),
    at: numberOf(body["at"], "at"),
    addressed: body["addressed"] === true,
  } as const;
  switch (body["kind"]) {
    case "message":
    case "edit":
      return {
        ...common,
        kind: body["kind"],
        message: textOf(body["message"], "message"),
        parts: toParts(body["parts"]),
      };
    case "delete":
      return { ...common, kind: "delete", message: textOf(body["message"], "message") };
    case "command":
      return {
        ...common,
        kind: "command",
        command: toCommand(body["command"]),
        ...(body["hasPlatformTime"] === true ? { hasPlatformTime: true } : {}),
        ...optional(body, "answerTo", textOf),
      };
    case "note":
      return { ...common, kind: "note", text: textOf(body["text"], "text") };
    default:
      throw new StoredJsonError(`inbound kind ${String(body["kind"])}`);
  }
}

function toCommand(value: unknown): SessionCommand {
  const fields = fieldsOf(value, "command");
  const { name, value: given } = fields;
  if (name === "branch") return { name, ...optional(fields, "message", textOf) };
  const isName = typeof name === "string" && Object.hasOwn(COMMANDS, name);
  // It is as it was checked when it was stored, and is taken for nothing else.
  const command = isName
    ? commandOf(name as CommandName, given === undefined ? undefined : textOf(given, "value"))
    : undefined;
  // What is asked of a goal is stored only to be counted.
  const isKept =
    command !== undefined && (isStored(command) || (command.name === "goal" && command.value !== undefined));
  if (!isKept) throw new StoredJsonError(`command ${String(name)}`);
  return command;
}
