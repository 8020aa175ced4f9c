/** A page's content as it was stored. */

import { BUTTON_ACTIONS } from "../../core/command/button.ts";
import type { Picture } from "../../core/part.ts";
import type { Button, PageContent, PageFile, PageStep } from "../../core/ports/surface.ts";
import { cleanJsonText } from "../../core/text.ts";
import { fieldsOf, listOf, numberOf, optional, textOf } from "./stored-json.ts";

export function toPage(value: unknown): PageContent {
  const page = fieldsOf(value, "page");
  return {
    markdown: textOf(page["markdown"], "markdown"),
    ...optional(page, "status", textOf),
    ...optional(page, "footer", textOf),
    ...optional(page, "steps", toSteps(listOf(page["stepStates"] ?? [], "stepStates"))),
    ...(page["isTrouble"] === true ? { isTrouble: true } : {}),
    ...optional(page, "file", toFile),
    ...(page["isCard"] === true ? { isCard: true } : {}),
    buttons: [...listOf(page["buttons"], "buttons"), ...listOf(page["more"] ?? [], "more")].flatMap(toButton),
  };
}

/** An older version refuses a page with a button or a step that it does not know: what came later stands where it does not look. */
export function pageText(page: PageContent): string {
  const isOld = ({ action }: Button): boolean => action === "stop" || action === "retry";
  const more = page.buttons.filter((button) => !isOld(button));
  return cleanJsonText({
    ...page,
    ...(page.steps === undefined
      ? {}
      : { steps: page.steps.map(({ line }) => line), stepStates: page.steps.map(({ state }) => state) }),
    ...(more.length === 0 ? {} : { buttons: page.buttons.filter(isOld), more }),
  });
}

/** Their ids are of a reply that is still written, and are not kept. */
function toSteps(states: readonly unknown[]): (value: unknown) => readonly PageStep[] {
  return (value) =>
    listOf(value, "steps").map((line, place) => ({
      id: `step-${place + 1}`,
      line: textOf(line, "step"),
      state: STEP_STATES.find((state) => state === states[place]) ?? "done",
    }));
}

function toFile(value: unknown): PageFile {
  const file = fieldsOf(value, "file");
  return {
    name: textOf(file["name"], "name"),
    title: textOf(file["title"], "title"),
    text: textOf(file["text"], "text"),
    ...optional(file, "picture", toPicture),
  };
}

export function toPicture(value: unknown): Picture {
  const picture = fieldsOf(value, "picture");
  return {
    mimeType: textOf(picture["mimeType"], "mimeType"),
    bytes: numberOf(picture["bytes"], "bytes"),
    ...optional(picture, "hash", textOf),
    ...optional(picture, "alt", textOf),
  };
}

/** One that only a newer version knows is left out. */
export function toButton(value: unknown): readonly Button[] {
  const button = fieldsOf(value, "button");
  const action = BUTTON_ACTIONS.find((each) => each === button["action"]);
  if (action === undefined) return [];
  const style = STYLES.find((each) => each === button["style"]);
  return [
    {
      action,
      label: textOf(button["label"], "label"),
      value: textOf(button["value"], "value"),
      ...(style === undefined ? {} : { style }),
      ...optional(button, "confirm", textOf),
    },
  ];
}

const STEP_STATES = ["running", "done", "failed"] as const;
const STYLES = ["primary", "danger"] as const;
