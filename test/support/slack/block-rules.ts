// Block Kit's limits, as Slack checks them. Each finding is one line of `response_metadata.messages`.
import type { JsonObject } from "./message.ts";
import { objectsIn, stringIn } from "./rendering.ts";
import { checkRichText } from "./rich-text-rules.ts";

export type BlockSurface = "message" | "modal" | "home";

/** Summed over all `markdown` blocks of a message. */
export const mostMarkdown = 12_000;

/** Rows that were met in one message. */
export const mostTasks = 50;
/** As documented; Slack was seen to take more. */
const mostTaskText = 256;
const taskStates = new Set(["pending", "in_progress", "complete", "error"]);

const allowedIn: Record<string, readonly BlockSurface[]> = {
  section: ["message", "modal", "home"],
  header: ["message", "modal", "home"],
  divider: ["message", "modal", "home"],
  context: ["message", "modal", "home"],
  actions: ["message", "modal", "home"],
  image: ["message", "modal", "home"],
  input: ["message", "modal", "home"],
  rich_text: ["message", "modal", "home"],
  markdown: ["message"],
  table: ["message"],
  data_table: ["message"],
  context_actions: ["message"],
  plan: ["message"],
  task_card: ["message"],
};

const interactive = new Set([
  "button",
  "static_select",
  "external_select",
  "users_select",
  "conversations_select",
  "channels_select",
  "multi_static_select",
  "overflow",
  "radio_buttons",
  "checkboxes",
  "plain_text_input",
  "number_input",
  "datepicker",
  "timepicker",
  "feedback_buttons",
  "icon_button",
]);

/** An empty list: Slack takes the blocks. */
export function faultsInBlocks(blocks: unknown, surface: BlockSurface): string[] {
  if (!Array.isArray(blocks)) return ["[ERROR] blocks are no list"];
  const faults: string[] = [];
  const most = surface === "message" ? 50 : 100;
  if (blocks.length > most) faults.push(`[ERROR] no more than ${most} items allowed [json-pointer:/blocks]`);
  const blockIds = new Set<string>();
  let tables = 0;
  for (const [index, block] of (blocks as unknown[]).entries()) {
    const at = `/blocks/${index}`;
    const say = (why: string, below = ""): void =>
      void faults.push(`[ERROR] ${why} [json-pointer:${at}${below}]`);
    if (typeof block !== "object" || block === null) {
      say("not an object");
      continue;
    }
    const object = block as JsonObject;
    const type = stringIn(object, "type");
    if (!(allowedIn[type] ?? []).includes(surface)) say(`unsupported type: ${type}`, "/type");
    const blockId = object["block_id"];
    if (typeof blockId === "string") {
      if (blockId.length > 255) say("must be less than 256 characters", "/block_id");
      if (blockIds.has(blockId)) say("block_id is not unique", "/block_id");
      blockIds.add(blockId);
    }
    checkBlock(type, object, say);
    if (type === "table" || type === "data_table") tables++;
  }
  if (tables > 1) faults.push("[ERROR] only_one_table_allowed [json-pointer:/blocks]");
  return faults;
}

type Say = (why: string, below?: string) => void;

function checkBlock(type: string, block: JsonObject, say: Say): void {
  switch (type) {
    case "section": {
      const fields = objectsIn(block["fields"]);
      if (block["text"] === undefined && fields.length === 0) say("missing required field: text");
      if (block["text"] !== undefined) checkText(block["text"], 3000, "any", (why) => say(why, "/text"));
      if (fields.length > 10) say("no more than 10 items allowed", "/fields");
      fields.forEach((field, index) => checkText(field, 2000, "any", (why) => say(why, `/fields/${index}`)));
      if (block["accessory"] !== undefined) checkElement(block["accessory"], (why) => say(why, "/accessory"));
      break;
    }
    case "header":
      checkText(block["text"], 150, "plain_text", (why) => say(why, "/text"));
      break;
    case "markdown":
      if (stringIn(block, "text") === "") say("must be more than 0 characters", "/text");
      if (stringIn(block, "text").length > mostMarkdown) say("must be less than 12001 characters", "/text");
      break;
    case "context": {
      const elements = objectsIn(block["elements"]);
      if (elements.length < 1 || elements.length > 10) say("1 to 10 items allowed", "/elements");
      elements.forEach((element, index) => {
        if (element["type"] !== "image")
          checkText(element, 3000, "any", (why) => say(why, `/elements/${index}`));
      });
      break;
    }
    case "actions":
    case "context_actions": {
      const elements = objectsIn(block["elements"]);
      const most = type === "actions" ? 25 : 5;
      if (elements.length < 1 || elements.length > most) say(`1 to ${most} items allowed`, "/elements");
      const ids = new Set<string>();
      elements.forEach((element, index) => {
        const below = `/elements/${index}`;
        checkElement(element, (why) => say(why, below));
        const isSmall = ["feedback_buttons", "icon_button"].includes(stringIn(element, "type"));
        if (isSmall !== (type === "context_actions"))
          say(`unsupported type: ${stringIn(element, "type")}`, below);
        const id = stringIn(element, "action_id");
        if (id !== "" && ids.has(id)) say("action_id is not unique", `${below}/action_id`);
        ids.add(id);
      });
      break;
    }
    case "input":
      checkText(block["label"], 2000, "plain_text", (why) => say(why, "/label"));
      checkElement(block["element"], (why) => say(why, "/element"));
      break;
    case "image":
      if (stringIn(block, "alt_text") === "") say("missing required field: alt_text");
      if (stringIn(block, "alt_text").length > 2000) say("must be less than 2001 characters", "/alt_text");
      break;
    case "rich_text":
      checkRichText(block, say);
      break;
    case "plan": {
      const tasks = objectsIn(block["tasks"]);
      if (stringIn(block, "title") === "") say("missing required field: title");
      if (tasks.length > mostTasks) say(`no more than ${mostTasks} items allowed`, "/tasks");
      const ids = new Set<string>();
      tasks.forEach((task, index) => {
        if (task["type"] !== "task_card") say("unsupported type", `/tasks/${index}/type`);
        if (ids.has(stringIn(task, "task_id"))) say("task_id is not unique", `/tasks/${index}/task_id`);
        ids.add(stringIn(task, "task_id"));
        checkTask(task, (why) => say(why, `/tasks/${index}`));
      });
      break;
    }
    case "task_card":
      checkTask(block, say);
      break;
    case "table":
      checkTable(block, say);
      break;
    default:
  }
}

/** Of a block and of a chunk: the one has its id in `task_id`, the other in `id`. */
export function checkTask(task: JsonObject, say: (why: string) => void): void {
  if (stringIn(task, "task_id") === "" && stringIn(task, "id") === "") say("missing required field: task_id");
  if (stringIn(task, "title") === "") say("missing required field: title");
  for (const name of ["title", "details", "output"]) {
    const value = task[name];
    if (typeof value === "string" && value.length > mostTaskText)
      say(`${name}: at most ${mostTaskText} characters`);
  }
  if (!taskStates.has(stringIn(task, "status"))) say(`unsupported status: ${stringIn(task, "status")}`);
}

function checkText(
  text: unknown,
  most: number,
  kind: "any" | "plain_text",
  say: (why: string) => void,
): void {
  if (typeof text !== "object" || text === null) return say("missing required field: text");
  const object = text as JsonObject;
  const type = object["type"];
  if (type !== "plain_text" && (kind === "plain_text" || type !== "mrkdwn")) {
    return say(`unsupported type: ${String(type)}`);
  }
  const length = stringIn(object, "text").length;
  if (length < 1) say("must be more than 0 characters");
  if (length > most) say(`must be less than ${most + 1} characters`);
}

function checkElement(element: unknown, say: (why: string) => void): void {
  if (typeof element !== "object" || element === null) return say("missing element");
  const object = element as JsonObject;
  const type = stringIn(object, "type");
  if (type === "image") return;
  if (!interactive.has(type)) return say(`unsupported type: ${type}`);
  if (stringIn(object, "action_id").length > 255) say("action_id: must be less than 256 characters");
  if (type === "button") {
    checkText(object["text"], 75, "plain_text", say);
    if (stringIn(object, "value").length > 2000) say("value: must be less than 2001 characters");
    if (stringIn(object, "url").length > 3000) say("url: must be less than 3001 characters");
    const style = object["style"];
    if (style !== undefined && style !== "primary" && style !== "danger")
      say("style: must be primary or danger");
  }
  if (type === "feedback_buttons") {
    for (const name of ["positive_button", "negative_button"]) {
      const button = object[name];
      if (typeof button !== "object" || button === null) {
        say(`missing required field: ${name}`);
        continue;
      }
      checkText((button as JsonObject)["text"], 75, "plain_text", say);
      const length = stringIn(button as JsonObject, "value").length;
      if (length < 1 || length > 2000) say(`${name}: value of 1 to 2000 characters`);
    }
  }
  const { options } = object;
  if (options === undefined) return;
  const list = objectsIn(options);
  const most = type === "overflow" ? 5 : type.endsWith("static_select") ? 100 : 10;
  if (list.length < 1 || list.length > most) say(`options: 1 to ${most} items allowed`);
  const initial = object["initial_option"];
  if (initial !== undefined && !list.some((option) => JSON.stringify(option) === JSON.stringify(initial)))
    say("initial_option: must be one of the options");
  for (const option of list) {
    const label = option["text"] as JsonObject | undefined;
    const length = label === undefined ? 0 : stringIn(label, "text").length;
    if (length < 1 || length > 75) say("options: text of 1 to 75 characters");
    if (stringIn(option, "value") === "") say("options: value must be more than 0 characters");
    if (stringIn(option, "value").length > 150) say("options: value of at most 150 characters");
  }
}

function checkTable(block: JsonObject, say: Say): void {
  const rows = Array.isArray(block["rows"]) ? (block["rows"] as unknown[]) : [];
  if (rows.length < 1 || rows.length > 100) say("1 to 100 items allowed", "/rows");
  let characters = 0;
  rows.forEach((row, index) => {
    const cells = objectsIn(row);
    if (cells.length < 1 || cells.length > 20) say("1 to 20 items allowed", `/rows/${index}`);
    cells.forEach((cell, column) => {
      const isRaw = cell["type"] === "raw_text";
      if (!isRaw && cell["type"] !== "rich_text") say("unsupported type", `/rows/${index}/${column}`);
      const length = isRaw ? stringIn(cell, "text").length : textLength(cell);
      if (length === 0) say("must be more than 0 characters", `/rows/${index}/${column}`);
      characters += length;
    });
  });
  if (characters > 10_000) say("no more than 10000 characters allowed");
}

/** Of everything below it that has a `text` or stands for somebody. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textLength(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  const object = value as JsonObject;
  if (typeof object["text"] === "string") return object["text"].length;
  if (typeof object["url"] === "string" || typeof object["name"] === "string") return 1;
  if (typeof object["user_id"] === "string" || typeof object["channel_id"] === "string") return 1;
  return textLength(object["elements"]);
}
