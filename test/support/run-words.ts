// What stands in a ledger or a request as one line, for comparing at a glance.
import type { Inbound } from "../../src/core/inbound.ts";
import type { ModelMessage } from "../../src/core/ports/model.ts";
import type { PageContent } from "../../src/core/ports/surface.ts";

/** `user: …`, `bot: … tool()`, `tool: …`. */
export function lineOf(message: ModelMessage): string {
  switch (message.role) {
    case "user":
      return `user: ${message.content.map((part) => (part.kind === "text" ? part.text : part.kind)).join("|")}`;
    case "assistant":
      return `bot: ${message.text}${message.calls.map(({ name }) => ` ${name}()`).join("")}`;
    case "tool":
      return `tool: ${message.content}`;
    default:
      return message satisfies never;
  }
}

export function wordsOf(inbound: Inbound): string {
  switch (inbound.kind) {
    case "command":
      return `/${inbound.command.name}`;
    case "delete":
      return "delete";
    case "note":
      return `note ${inbound.text}`;
    case "message":
    case "edit":
      return `${inbound.kind === "edit" ? "edit " : ""}${inbound.parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join(" ")}`;
    default:
      return inbound satisfies never;
  }
}

/** Whether a round holds the reply alone, whose tools are still to run. */
export function isCalls(round: unknown): boolean {
  return typeof round === "object" && round !== null && "state" in round && round.state === "calls";
}

/** Whether it writes a page of a reply that is over. */
export function isFinalPage(method: string, page: unknown): boolean {
  if (method !== "post" && method !== "edit") return false;
  const { status, buttons } = page as PageContent;
  return status === undefined && !buttons.some(({ action }) => action === "stop");
}
