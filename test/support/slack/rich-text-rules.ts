// What Slack takes as rich text: which elements there are, and what each has to have.
import type { JsonObject } from "./message.ts";
import { objectsIn, stringIn } from "./rendering.ts";

type Say = (why: string, below: string) => void;

const containers = new Set([
  "rich_text_section",
  "rich_text_list",
  "rich_text_preformatted",
  "rich_text_quote",
]);

/** Of each element what must be there, with something in it. */
const needed: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  link: ["url"],
  user: ["user_id"],
  usergroup: ["usergroup_id"],
  channel: ["channel_id"],
  emoji: ["name"],
  broadcast: ["range"],
  date: ["format"],
  color: ["value"],
};

export function checkRichText(block: JsonObject, say: Say): void {
  const elements = objectsIn(block["elements"]);
  if (elements.length === 0) say("missing required field: elements", "");
  elements.forEach((element, index) => checkContainer(element, `/elements/${index}`, say));
}

function checkContainer(element: JsonObject, at: string, say: Say): void {
  const type = stringIn(element, "type");
  if (!containers.has(type)) return say(`unsupported type: ${type}`, `${at}/type`);
  objectsIn(element["elements"]).forEach((inner, index) => {
    const below = `${at}/elements/${index}`;
    if (type === "rich_text_list") return checkContainer(inner, below, say);
    return checkInline(inner, below, say);
  });
}

function checkInline(element: JsonObject, at: string, say: Say): void {
  const type = stringIn(element, "type");
  const fields = Object.hasOwn(needed, type) ? needed[type] : undefined;
  if (fields === undefined) return say(`unsupported type: ${type}`, `${at}/type`);
  for (const field of fields) {
    if (stringIn(element, field) === "") say("must be more than 0 characters", `${at}/${field}`);
  }
  if (type === "date" && !Number.isInteger(element["timestamp"]))
    say("must be an integer", `${at}/timestamp`);
  if (stringIn(element, "url").length > 3000) say("must be less than 3001 characters", `${at}/url`);
}
