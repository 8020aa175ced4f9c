// What a person has entered in a modal, as `view.state.values`.
import type { JsonObject } from "./message.ts";
import { objectsIn, stringIn } from "./rendering.ts";

/** By block id or action id: text for a field, the value for a menu, the id for a picker of channels or people. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** @throws when a required field is empty, an entry has no field, or the choice does not exist. */
export function stateOf(view: JsonObject, entries: Entries): JsonObject {
  const values: Record<string, JsonObject> = {};
  const used = new Set<string>();
  for (const block of objectsIn(view["blocks"])) {
    const element = objectsIn([block["element"]])[0] ?? objectsIn([block["accessory"]])[0];
    if (!element || typeof element["action_id"] !== "string") continue;
    const actionId = element["action_id"];
    const blockId = stringIn(block, "block_id") || actionId;
    const name = entries[blockId] === undefined ? actionId : blockId;
    const entry = entries[name];
    used.add(name);
    if (
      entry === undefined &&
      block["type"] === "input" &&
      block["optional"] !== true &&
      !hasInitial(element)
    ) {
      throw new Error(`the client asks for ${blockId}: it is required`);
    }
    values[blockId] = { [actionId]: { type: element["type"], ...valueOf(element, entry) } };
  }
  const unknown = Object.keys(entries).filter((name) => !used.has(name));
  if (unknown.length > 0) throw new Error(`the modal has no field ${unknown.join(", ")}`);
  return values;
}

function valueOf(element: JsonObject, entry: string | readonly string[] | undefined): JsonObject {
  const type = stringIn(element, "type");
  const one = typeof entry === "string" ? entry : entry?.[0];
  const many = typeof entry === "string" ? [entry] : (entry ?? []);
  switch (type) {
    case "static_select":
    case "radio_buttons":
      return {
        selected_option: one === undefined ? (element["initial_option"] ?? null) : optionOf(element, one),
      };
    case "external_select":
      return { selected_option: one === undefined ? null : { text: plain(one), value: one } };
    case "multi_static_select":
    case "checkboxes":
      return { selected_options: many.map((value) => optionOf(element, value)) };
    case "conversations_select":
      return { selected_conversation: one ?? element["initial_conversation"] ?? null };
    case "channels_select":
      return { selected_channel: one ?? element["initial_channel"] ?? null };
    case "users_select":
      return { selected_user: one ?? element["initial_user"] ?? null };
    default:
      return { value: one ?? element["initial_value"] ?? null };
  }
}

function optionOf(element: JsonObject, value: string): JsonObject {
  const groups = objectsIn(element["option_groups"]).flatMap((group) => objectsIn(group["options"]));
  const option = [...objectsIn(element["options"]), ...groups].find((one) => one["value"] === value);
  if (!option) throw new Error(`there is no choice ${value}`);
  return option;
}

function plain(text: string): JsonObject {
  return { type: "plain_text", text };
}

function hasInitial(element: JsonObject): boolean {
  return Object.keys(element).some((key) => key.startsWith("initial_"));
}
