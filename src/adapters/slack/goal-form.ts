/** The form in which a goal is written or changed: a modal, and what comes back from it. */

import type { GoalForm } from "../../core/goal/form.ts";
import type { Log } from "../../core/ports/log.ts";
import type { SlackApi } from "./api.ts";
import { fieldsOf, textOf, type Payload } from "./payload.ts";

/** Also the callback id of the shortcut that opens it. */
export const GOAL_FORM = "bobbin_goal";
/** Slack's limit of a field. */
export const FIELD_UNITS = 3_000;

/** Where the form was opened, which a submission does not say. */
export interface FormPlace {
  readonly channel: string;
  readonly root: string;
  /** The goal that is changed; absent where one is set. */
  readonly goal?: string;
}

export function goalForm({ id, text }: GoalForm, { channel, root }: Omit<FormPlace, "goal">): Payload {
  const isNew = id === undefined;
  const place: FormPlace = { channel, root, ...(isNew ? {} : { goal: id }) };
  return {
    type: "modal",
    callback_id: GOAL_FORM,
    title: plain(isNew ? "Goal of this thread" : "Change the goal"),
    submit: plain(isNew ? "Set goal" : "Save"),
    close: plain("Cancel"),
    private_metadata: JSON.stringify(place),
    blocks: [
      {
        type: "input",
        block_id: "goal",
        label: plain("What is to be reached?"),
        hint: plain(
          `Lines that begin with “Done when:” say how to tell.${isNew ? " Behind the last one may stand --tokens 200k --turns 20 --minutes 60." : ""}`,
        ),
        element: {
          type: "plain_text_input",
          action_id: "text",
          multiline: true,
          max_length: FIELD_UNITS,
          ...(text === "" ? {} : { initial_value: text }),
        },
      },
    ],
  };
}

/** Shows a form to whoever's click brought the trigger, which is good for three seconds. Never rejects. */
export function createOpenForm(deps: {
  readonly api: SlackApi;
  readonly log: Log;
}): (trigger: string, view: Payload) => Promise<void> {
  return async (trigger, view) => {
    const answer = await deps.api.call("views.open", { trigger_id: trigger, view });
    if (answer.kind !== "ok") deps.log.warn("a form could not be shown", { ...answer });
  };
}

/** What was written, and where; undefined for a form that is none of these. */
export function submittedIn(body: Payload): { readonly place: FormPlace; readonly text: string } | undefined {
  const view = fieldsOf(body["view"]);
  if (view["callback_id"] !== GOAL_FORM) return undefined;
  const values = fieldsOf(fieldsOf(view["state"])["values"]);
  const text = textOf(fieldsOf(fieldsOf(values["goal"])["text"])["value"]);
  const place = placeOf(textOf(view["private_metadata"]) ?? "");
  return text === undefined || place === undefined ? undefined : { place, text };
}

function placeOf(metadata: string): FormPlace | undefined {
  try {
    const { channel, root, goal } = fieldsOf(JSON.parse(metadata));
    const [at, below, about] = [textOf(channel), textOf(root), textOf(goal)];
    if (at === undefined || below === undefined) return undefined;
    return { channel: at, root: below, ...(about === undefined ? {} : { goal: about }) };
  } catch {
    return undefined;
  }
}

function plain(text: string): Payload {
  return { type: "plain_text", text, emoji: false };
}
