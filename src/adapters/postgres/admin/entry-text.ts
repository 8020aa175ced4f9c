/** What of an entry can be searched for. */

import type { EntryBody } from "../../../core/entry.ts";

export function textOfEntry(body: EntryBody): string {
  switch (body.kind) {
    case "user":
      return body.parts
        .map((part) => (part.kind === "text" || part.kind === "note" ? part.text : (part.name ?? "")))
        .join(" ");
    case "assistant":
      return [body.text, ...body.calls.map((call) => `${call.name} ${call.arguments}`)].join(" ");
    case "tool":
      return `${body.name} ${body.content}`;
    case "note":
    case "summary":
      return body.text;
    default:
      return body satisfies never;
  }
}
