/** The form in which a goal is written or changed: a modal, which has to be the first answer to a click or a command. Pure. */

import { ComponentType, TextInputStyle, type APIModalSubmitInteraction } from "discord-api-types/v10";
import type { GoalForm } from "../../core/goal/form.ts";

/** Discord's limit of a field. */
export const FIELD_UNITS = 4_000;
const FORM = /^bobbin-goal(?:(-replace)|:([\w-]{1,60}))?$/;
const FIELD = "text";

export function goalForm({ id, replaces, text }: GoalForm): object {
  const mark = replaces === true ? "-replace" : id === undefined ? "" : `:${id}`;
  return {
    custom_id: `bobbin-goal${mark}`,
    title: replaces === true ? "Another goal" : id === undefined ? "Goal of this thread" : "Change the goal",
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.TextInput,
            custom_id: FIELD,
            style: TextInputStyle.Paragraph,
            label: "What is to be reached?",
            placeholder: `Lines “Done when: …” say how to tell.${id === undefined ? " Last may stand --tokens 200k --turns 20 --minutes 60." : ""}`,
            max_length: FIELD_UNITS,
            required: true,
            ...(text === "" ? {} : { value: text }),
          },
        ],
      },
    ],
  };
}

/** What was written, and of which goal; undefined for a form that is none of these. */
export function submittedIn({ data }: Pick<APIModalSubmitInteraction, "data">): GoalForm | undefined {
  const match = FORM.exec(data.custom_id);
  if (match === null) return undefined;
  for (const row of data.components) {
    for (const field of "components" in row ? row.components : []) {
      if (field.custom_id !== FIELD || !("value" in field)) continue;
      const [, replaces, id] = match;
      return {
        text: field.value,
        ...(replaces === undefined ? {} : { replaces: true as const }),
        ...(id === undefined ? {} : { id }),
      };
    }
  }
  return undefined;
}
