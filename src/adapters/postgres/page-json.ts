/** A page's content as it was stored. */

import type { Button, PageContent } from "../../core/ports/surface.ts";
import { fieldsOf, listOf, optional, StoredJsonError, textOf } from "./stored-json.ts";

export function toPage(value: unknown): PageContent {
  const page = fieldsOf(value, "page");
  return {
    markdown: textOf(page["markdown"], "markdown"),
    ...optional(page, "status", textOf),
    ...optional(page, "footer", textOf),
    ...(page["isTrouble"] === true ? { isTrouble: true } : {}),
    buttons: listOf(page["buttons"], "buttons").map(toButton),
  };
}

function toButton(value: unknown): Button {
  const button = fieldsOf(value, "button");
  const action = button["action"];
  if (action !== "stop" && action !== "retry") throw new StoredJsonError(`button ${String(action)}`);
  return { action, label: textOf(button["label"], "label"), value: textOf(button["value"], "value") };
}
