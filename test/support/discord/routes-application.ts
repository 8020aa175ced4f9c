// The application over REST: who it is, its commands, and the way to the gateway.
import { ApiError, wrongForm, type Call, type Route } from "./call.ts";
import type { JsonObject } from "./model.ts";
import type { Platform } from "./platform.ts";
import { userJson } from "./wire.ts";

const NAME = /^[-_\p{L}\p{N}]{1,32}$/u;
const MOST_COMMANDS = 100;
/** The bot may read what is said, as a bot in few guilds. */
const LIMITED_CONTENT = 1 << 19;

function registered(call: Call, platform: Platform): readonly JsonObject[] {
  if (call.params["application"] !== platform.applicationId)
    throw new ApiError(404, 10002, "Unknown Application");
  return platform.commands.get(call.params["guild"] ?? "global") ?? [];
}

function overwrite(call: Call, platform: Platform): readonly JsonObject[] {
  const before = registered(call, platform);
  const given = (call.body["list"] ?? []) as readonly JsonObject[];
  if (given.length > MOST_COMMANDS) throw new ApiError(400, 30032, "Maximum number of commands reached");
  for (const { name, description, type = 1 } of given) {
    if (typeof name !== "string" || !NAME.test(name) || (type === 1 && name !== name.toLowerCase()))
      throw wrongForm("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
    const length = typeof description === "string" ? description.length : 0;
    if (type === 1 && (length < 1 || length > 100))
      throw wrongForm("description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  }
  const list = given.map((command) => ({
    type: 1,
    default_member_permissions: null,
    nsfw: false,
    ...command,
    id: before.find(({ name }) => name === command["name"])?.["id"] ?? platform.state.newId(),
    application_id: platform.applicationId,
    version: platform.state.newId(),
  }));
  platform.commands.set(call.params["guild"] ?? "global", list);
  return list;
}

export const applicationRoutes: readonly Route[] = [
  {
    name: "GET /gateway/bot",
    auth: "bot",
    run: (_, { gateway, origin }) => ({
      url: origin.replace("http:", "ws:"),
      shards: gateway.shards,
      session_start_limit: {
        total: gateway.total,
        remaining: Math.max(0, gateway.remaining),
        reset_after: 14_400_000,
        max_concurrency: gateway.atOnce,
      },
    }),
  },
  { name: "GET /users/@me", auth: "bot", run: (_, { bot }) => userJson(bot) },
  {
    name: "GET /users/@me/guilds",
    auth: "bot",
    run: (_, { state }) =>
      [...state.guilds.values()].map((guild) => ({
        id: guild.id,
        name: guild.name,
        icon: null,
        owner: false,
        permissions: state.botBits(guild),
        features: [],
      })),
  },
  {
    name: "GET /applications/@me",
    auth: "bot",
    run: (_, { applicationId, bot, gateway }) => ({
      id: applicationId,
      name: bot.name,
      icon: null,
      description: "",
      bot_public: true,
      bot: userJson(bot),
      flags: gateway.mayReadContent ? LIMITED_CONTENT : 0,
    }),
  },
  { name: "GET /applications/:application/commands", auth: "bot", run: registered },
  { name: "PUT /applications/:application/commands", auth: "bot", run: overwrite },
  { name: "GET /applications/:application/guilds/:guild/commands", auth: "bot", run: registered },
  { name: "PUT /applications/:application/guilds/:guild/commands", auth: "bot", run: overwrite },
];
