// The application over REST: who it is, its commands, and the way to the gateway.
import { ApiError, type Call, type Route } from "./call.ts";
import { checkCommands, keyOf } from "./command-forms.ts";
import type { JsonObject } from "./model.ts";
import type { Platform } from "./platform.ts";
import { userJson } from "./wire.ts";

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
  checkCommands(given, platform.installs);
  const list = given.map((command) => ({
    type: 1,
    default_member_permissions: null,
    nsfw: false,
    description: "",
    contexts: [0, 1, 2],
    integration_types: [...platform.installs],
    ...command,
    id: before.find((one) => keyOf(one) === keyOf(command))?.["id"] ?? platform.state.newId(),
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
      state.presentGuilds().map((guild) => ({
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
    run: (_, { applicationId, bot, gateway, installs }) => ({
      id: applicationId,
      name: bot.name,
      icon: null,
      description: "",
      bot_public: true,
      bot: userJson(bot),
      flags: gateway.mayReadContent ? LIMITED_CONTENT : 0,
      integration_types_config: Object.fromEntries([...installs].map((type) => [String(type), {}])),
    }),
  },
  { name: "GET /applications/:application/commands", auth: "bot", run: registered },
  { name: "PUT /applications/:application/commands", auth: "bot", run: overwrite },
  { name: "GET /applications/:application/guilds/:guild/commands", auth: "bot", run: registered },
  { name: "PUT /applications/:application/guilds/:guild/commands", auth: "bot", run: overwrite },
];
