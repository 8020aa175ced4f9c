// Answers to interactions: the first one within three seconds, and what follows it over the token.
import { ApiError, wrongForm, type Call, type Route } from "./call.ts";
import { FLAGS, type JsonObject } from "./model.ts";
import type { Platform } from "./platform.ts";
import type { Interaction, Whisper } from "./interactions.ts";
import { readWords } from "./routes-messages.ts";
import { timeOfSnowflake } from "./snowflake.ts";
import { userJson } from "./wire.ts";

/** Kinds of a first answer. */
const MESSAGE = 4;
const DEFERRED_MESSAGE = 5;
const DEFERRED_UPDATE = 6;
const SUGGESTIONS = 8;
const FORM = 9;
const MOST_SUGGESTIONS = 25;
const MOST_CARDS = 10;
const LONGEST_CARD = 4_096;
/** Of all cards of one message together. */
const LONGEST_CARDS = 6_000;

function callback(call: Call, platform: Platform): JsonObject | undefined {
  const interaction = platform.interactions.byToken(call.params["token"] ?? "");
  if (
    interaction === undefined ||
    interaction.id !== call.params["interaction"] ||
    interaction.state === "failed"
  )
    throw new ApiError(404, 10062, "Unknown interaction");
  if (interaction.state === "answered")
    throw new ApiError(400, 40060, "Interaction has already been acknowledged.");
  const data = (call.body["data"] ?? {}) as JsonObject;
  if (interaction.isTyping !== (call.body["type"] === SUGGESTIONS))
    throw new ApiError(400, 50035, "Suggestions are for who types, and nothing else is.");
  if (interaction.isTyping) {
    const choices = (data["choices"] ?? []) as readonly JsonObject[];
    if (choices.length > MOST_SUGGESTIONS)
      throw wrongForm("choices", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length.");
    for (const { name, value } of choices)
      for (const text of [name, value])
        if (typeof text !== "string" || text.length < 1 || text.length > 100)
          throw wrongForm("choices", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
    interaction.suggested = choices;
    interaction.settle("answered");
    return undefined;
  }
  if (call.body["type"] === FORM) {
    if (interaction.isForm) throw new ApiError(400, 50035, "A form cannot be the answer to a form.");
    checkForm(data);
    interaction.modal = data;
    interaction.settle("answered");
    return undefined;
  }
  const isEphemeral = (Number(data["flags"] ?? 0) & FLAGS.ephemeral) !== 0;
  switch (call.body["type"]) {
    case MESSAGE:
      add(interaction, platform, { isPending: false, ...wordsOf(data, platform) });
      break;
    case DEFERRED_MESSAGE:
      add(interaction, platform, { isPending: true, content: "", components: [], cards: [] });
      break;
    case DEFERRED_UPDATE:
      if (interaction.message === undefined) throw new ApiError(400, 50035, "Only for a component.");
      break;
    default:
      throw new ApiError(400, 50035, `An answer of type ${String(call.body["type"])} is not known here.`);
  }
  if (call.body["type"] !== DEFERRED_UPDATE && !isEphemeral)
    platform.complaints.add("interaction", "an answer to a command is shown to everybody");
  interaction.isEphemeral = isEphemeral;
  interaction.settle("answered");
  return call.query["with_response"] === "true"
    ? { interaction: { id: interaction.id, type: 2 } }
    : undefined;
}

function checkForm(data: JsonObject): void {
  const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);
  const within = (value: unknown, most: number): boolean => lengthOf(value) >= 1 && lengthOf(value) <= most;
  const rows = (data["components"] ?? []) as readonly JsonObject[];
  if (!within(data["custom_id"], 100) || !within(data["title"], 45) || rows.length < 1 || rows.length > 5)
    throw wrongForm("data", "BASE_TYPE_BAD_LENGTH", "Must be of a valid length.");
  const ids = new Set<unknown>();
  for (const row of rows) {
    const [field, ...others] = (row["components"] ?? []) as readonly JsonObject[];
    const most = Number(field?.["max_length"] ?? 4_000);
    const least = Number(field?.["min_length"] ?? 0);
    const isField =
      row["type"] === 1 &&
      others.length === 0 &&
      field?.["type"] === 4 &&
      within(field["label"], 45) &&
      within(field["custom_id"], 100);
    if (!isField || (field["style"] !== 1 && field["style"] !== 2))
      throw wrongForm("components", "BASE_TYPE_CHOICES", "A row of a form has one field of one style.");
    const isWithin = least >= 0 && least <= most && most >= 1 && most <= 4_000;
    const { value, placeholder } = field;
    if (!isWithin || lengthOf(value) > most || lengthOf(placeholder) > 100)
      throw wrongForm("components", "BASE_TYPE_BAD_LENGTH", "Must be of a valid length.");
    ids.add(field["custom_id"]);
  }
  if (ids.size < rows.length)
    throw wrongForm(
      "components",
      "COMPONENT_CUSTOM_ID_DUPLICATED",
      "Component custom id cannot be duplicated",
    );
}

function add(
  interaction: Interaction,
  { state }: Platform,
  whisper: Pick<Whisper, "content" | "components" | "cards" | "isPending">,
): Whisper {
  const added = { ...whisper, id: state.newId(), isDeleted: false };
  interaction.answers.push(added);
  return added;
}

function wordsOf(body: JsonObject, platform: Platform): Pick<Whisper, "content" | "components" | "cards"> {
  const words = readWords("an answer to an interaction", body, platform);
  const cards = ((body["embeds"] ?? []) as readonly JsonObject[]).map(({ description }) =>
    typeof description === "string" ? description : "",
  );
  const isTooLong =
    cards.length > MOST_CARDS ||
    cards.some(({ length }) => length < 1 || length > LONGEST_CARD) ||
    cards.reduce((sum, { length }) => sum + length, 0) > LONGEST_CARDS;
  if (isTooLong) throw wrongForm("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size.");
  if (words.content === "" && words.components.length === 0 && cards.length === 0)
    throw new ApiError(400, 50006, "Cannot send an empty message");
  return { ...words, cards };
}

function answered({ params }: Call, platform: Platform): Interaction {
  const interaction = platform.interactions.byToken(params["token"] ?? "");
  if (interaction?.state !== "answered" || params["application"] !== platform.applicationId)
    throw new ApiError(404, 10015, "Unknown Webhook");
  return interaction;
}

function whisperOf(call: Call, platform: Platform): Whisper {
  const interaction = answered(call, platform);
  const { message } = call.params;
  const found =
    message === "@original" ? interaction.answers[0] : interaction.answers.find(({ id }) => id === message);
  if (found === undefined || found.isDeleted) throw new ApiError(404, 10008, "Unknown Message");
  return found;
}

function whisperJson({ id, content, components }: Whisper, channel: string, { bot }: Platform): JsonObject {
  return {
    id,
    channel_id: channel,
    content,
    components,
    flags: FLAGS.ephemeral,
    type: 20,
    author: userJson(bot),
    timestamp: new Date(timeOfSnowflake(id)).toISOString(),
    edited_timestamp: null,
    attachments: [],
    embeds: [],
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
  };
}

export const interactionRoutes: readonly Route[] = [
  { name: "POST /interactions/:interaction/:token/callback", auth: "none", run: callback },
  {
    name: "POST /webhooks/:application/:token",
    auth: "none",
    run(call, platform) {
      const interaction = answered(call, platform);
      const words = wordsOf(call.body, platform);
      const [first] = interaction.answers;
      // The first follow-up of a deferred answer is that answer.
      const whisper =
        first?.isPending === true
          ? Object.assign(first, words, { isPending: false })
          : add(interaction, platform, { ...words, isPending: false });
      return whisperJson(whisper, interaction.channel, platform);
    },
  },
  {
    name: "GET /webhooks/:application/:token/messages/:message",
    auth: "none",
    run: (call, platform) =>
      whisperJson(whisperOf(call, platform), answered(call, platform).channel, platform),
  },
  {
    name: "PATCH /webhooks/:application/:token/messages/:message",
    auth: "none",
    run(call, platform) {
      const whisper = whisperOf(call, platform);
      Object.assign(whisper, wordsOf(call.body, platform), { isPending: false });
      return whisperJson(whisper, answered(call, platform).channel, platform);
    },
  },
  {
    name: "DELETE /webhooks/:application/:token/messages/:message",
    auth: "none",
    run(call, platform) {
      whisperOf(call, platform).isDeleted = true;
      return undefined;
    },
  },
];
