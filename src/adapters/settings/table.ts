/** Every setting there is, with its name, meaning, default and form: the one place where they stand. */
import {
  host,
  keys,
  onOffOr,
  onOrOff,
  oneOf,
  optional,
  origin,
  people,
  secret,
  share,
  text,
  token,
  url,
  whole,
  withDefault,
  withHeaders,
  withPassword,
} from "./kinds.ts";

const example = "https://bobbin.example.org";
const web = url(["http", "https"], example);
const slackPages = "the pages of your app on api.slack.com";

/** The keys are the names in `Settings`. */
export const table = {
  databaseUrl: withPassword(
    optional(
      "DATABASE_URL",
      "Postgres 15 or newer. Without it Bobbin keeps its data in `DATA_DIR`, for one process.",
      url(["postgres", "postgresql"], "postgres://user:password@host:5432/bobbin"),
    ),
  ),
  redisUrl: withPassword(
    optional(
      "REDIS_URL",
      "Redis 6.2 or newer with `maxmemory-policy noeviction`. Without it everything runs in one process.",
      url(["redis", "rediss"], "redis://host:6379"),
    ),
  ),
  dataDir: withDefault("DATA_DIR", "./data", "Where the data is kept when there is no `DATABASE_URL`.", text),
  host: withDefault("HOST", "127.0.0.1", "The address to listen on.", host),
  port: withDefault("PORT", "3000", "The port for health and the web chat.", whole(0, 65_535)),
  publicUrl: optional(
    "PUBLIC_URL",
    "Where people reach this server from outside, without a path: for links and sign-in.",
    origin(["http", "https"], example),
  ),
  logLevel: withDefault(
    "LOG_LEVEL",
    "info",
    "The least level that is logged: debug, info, warn, error or silent.",
    oneOf(["debug", "info", "warn", "error", "silent"]),
  ),
  metricsToken: secret(
    optional("METRICS_TOKEN", "Switches `/metrics` on, for whoever sends it as a bearer token.", text),
  ),
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Where traces are sent, as OTLP over HTTP. Without it there are none.",
    web,
  ),
  otlpTracesEndpoint: optional(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "The same with its whole path, in place of it.",
    web,
  ),
  otlpHeaders: withHeaders(
    optional(
      "OTEL_EXPORTER_OTLP_HEADERS",
      "What is sent with them: `name=value`, separated by commas.",
      text,
    ),
  ),
  tracesShare: withDefault(
    "OTEL_TRACES_SAMPLER_ARG",
    "1",
    "How many of all traces are sent, from 0 to 1.",
    share,
  ),
  otelDisabled: withDefault(
    "OTEL_SDK_DISABLED",
    "false",
    "true: no traces, whatever else is set.",
    oneOf(["true", "false"]),
  ),
  webChat: optional(
    "WEB_CHAT",
    "on, off or public: the web chat, which has no sign-in. on serves it on this machine alone, public also at `PUBLIC_URL`. By default it is on when no platform is configured.",
    onOffOr("public"),
  ),
  gallery: withDefault(
    "GALLERY",
    "off",
    "on or off: `/gallery` in the web chat, fixed replies as each platform shows them; for development, `npm run dev` has it on.",
    onOrOff,
  ),
  openaiApiKey: secret(
    optional(
      "OPENAI_API_KEY",
      "The key of the model provider. Without a key and a base URL a demo model answers.",
      text,
    ),
  ),
  openaiBaseUrl: optional(
    "OPENAI_BASE_URL",
    "Any server that speaks Chat Completions (OpenRouter, Ollama, vLLM); OpenAI by default.",
    url(["http", "https"], "http://127.0.0.1:11434/v1"),
  ),
  model: optional("MODEL", "The model that answers. With OpenAI's own server `gpt-5-mini` by default.", text),
  liteModel: optional(
    "LITE_MODEL",
    "A cheap model for what stands beside the answers: it names new threads, and checks whether a goal is reached. On the same server with the same key, unless said.",
    text,
  ),
  liteBaseUrl: optional(
    "LITE_BASE_URL",
    "The server of `LITE_MODEL`, where it is another one than that of `MODEL`.",
    url(["http", "https"], "http://127.0.0.1:11434/v1"),
  ),
  liteApiKey: secret(
    optional(
      "LITE_API_KEY",
      "The key for `LITE_MODEL`; that of `MODEL` only where the server is the same.",
      text,
    ),
  ),
  visionModel: optional("VISION_MODEL", "Describes images for a `MODEL` that cannot see.", text),
  systemPromptFile: optional(
    "SYSTEM_PROMPT_FILE",
    "A text file that replaces the built-in instructions.",
    text,
  ),
  slackBotToken: secret(
    optional(
      "SLACK_BOT_TOKEN",
      "The bot token of a Slack app in one workspace (xoxb-).",
      token(["xoxb-", "xoxe.xoxb-"], slackPages),
    ),
  ),
  slackAppToken: secret(
    optional(
      "SLACK_APP_TOKEN",
      "The app token for socket mode (xapp-); without it, HTTP.",
      token(["xapp-"], slackPages),
    ),
  ),
  slackSigningSecret: secret(
    optional("SLACK_SIGNING_SECRET", "Proves that a request over HTTP comes from Slack.", text),
  ),
  slackClientId: optional(
    "SLACK_CLIENT_ID",
    "For installing the app in many workspaces by OAuth, and for Sign in with Slack on the admin pages.",
    text,
  ),
  slackClientSecret: secret(optional("SLACK_CLIENT_SECRET", "Belongs to `SLACK_CLIENT_ID`.", text)),
  slackApiUrl: optional("SLACK_API_URL", "Slack's API elsewhere, for tests and proxies.", web),
  discordToken: secret(optional("DISCORD_TOKEN", "The bot token of a Discord application.", text)),
  discordClientId: optional(
    "DISCORD_CLIENT_ID",
    "The application's id, for invitations, and for sign-in to the admin pages.",
    text,
  ),
  discordClientSecret: secret(
    optional(
      "DISCORD_CLIENT_SECRET",
      "Belongs to `DISCORD_CLIENT_ID`: people sign in to the admin pages with Discord.",
      text,
    ),
  ),
  discordApiUrl: optional("DISCORD_API_URL", "Discord's API elsewhere, for tests and proxies.", web),
  workerConcurrency: withDefault(
    "WORKER_CONCURRENCY",
    "50",
    "How many threads one worker answers at once.",
    whole(1, 1_000),
  ),
  adminUsers: withDefault(
    "ADMIN_USERS",
    "",
    "Who runs the bot, and so is an admin besides those of the platform: `slack:T1:U1`, `discord:*:U1`, separated by commas.",
    people,
  ),
  secretKey: secret(
    optional(
      "SECRET_KEY",
      "Encrypts tokens at rest and signs sign-in links: 32 bytes in base64 or hex, or a long text; several separated by " +
        "commas, the first encrypts.",
      keys,
    ),
  ),
} as const;
