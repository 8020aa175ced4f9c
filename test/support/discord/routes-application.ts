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
  { name: "POST /oauth2/token", auth: "none", run: (call, { oauth }) => oauth.exchange(call) },
  {
    name: "GET /users/@me",
    auth: "any",
    run: (call, { bot, oauth }) => userJson(oauth.personOf(call, "identify") ?? bot),
  },
  {
    name: "GET /users/@me/guilds",
    auth: "any",
    run(call, { state, oauth }) {
      const person = oauth.personOf(call, "guilds");
      const limit = Math.min(200, Number(call.query["limit"] ?? 200));
      const after = BigInt(call.query["after"] ?? 0);
      const guilds = person === undefined ? state.presentGuilds() : state.guildsOf(person);
      return guilds
        .filter(({ id }) => BigInt(id) > after)
        .slice(0, limit)
        .map((guild) => ({
          id: guild.id,
          name: guild.name,
          icon: null,
          owner: false,
          permissions: person === undefined ? state.botBits(guild) : String(state.bitsOf(person, guild)),
          features: [],
        }));
    },
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
