/**
 * The one reader of the environment and of `bobbin.config.ts`. Reports everything that is wrong at once, each with its
 * fix, and never the value of a secret. Everything else gets its options as arguments.
 */
import { isNoWord } from "../../core/mask-entropy.ts";
import { readConfig } from "./config-file.ts";
import type { Config } from "./config.ts";
import type { Setting } from "./kinds.ts";
import { headerSecretsIn } from "./otlp-headers.ts";
import { table } from "./table.ts";

type Table = typeof table;
type Values = { readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never };

export interface Settings extends Values {
  /** Limits and models, from `bobbin.config.ts` or the defaults. */
  readonly config: Config;
}

export interface SettingProblem {
  /** The variable, or the place in the configuration file. */
  readonly name: string;
  /** What is wrong, as it reads after the name. */
  readonly problem: string;
  /** One sentence that says what to do. */
  readonly fix: string;
}

export type ReadSettings =
  | { readonly kind: "ok"; readonly settings: Settings }
  | { readonly kind: "wrong"; readonly problems: readonly SettingProblem[] };

/** What the process is for; `gateway` and `worker` are several processes and so need both servers. */
export type Command = "start" | "gateway" | "worker" | "migrate" | "doctor" | "export" | "import";

export interface ReadOptions {
  /** `start` unless said. */
  readonly command?: Command;
  /** Where `bobbin.config.ts` may lie; the working directory unless said. */
  readonly folder?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Never throws. A variable that is set to blanks counts as not set, which is what a compose file makes of a gap. */
export async function readSettings(env: Environment, options: ReadOptions = {}): Promise<ReadSettings> {
  const { command = "start", folder = process.cwd() } = options;
  const problems: SettingProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(table)) {
    const parsed = setting.parse(env[setting.name]?.trim() || undefined);
    if (parsed.kind === "value") values[key] = parsed.value;
    else problems.push({ name: setting.name, problem: parsed.problem, fix: parsed.fix });
  }
  const isSet = (key: keyof Table): boolean => (env[table[key].name]?.trim() ?? "") !== "";
  const publicUrl = values["publicUrl"];
  if (values["gallery"] === true && env["NODE_ENV"]?.trim() === "production") {
    const fix = "Leave it out; it is for development.";
    problems.push({ name: table.gallery.name, problem: "is on in production", fix });
  }
  if (values["webChat"] === "public" && !isSet("publicUrl") && isReached(command)) {
    const fix = "Set it to the address people reach, or set WEB_CHAT=on for this machine alone.";
    problems.push({
      name: table.publicUrl.name,
      problem: "is missing, and WEB_CHAT=public serves the web chat there",
      fix,
    });
  }
  problems.push(...problemsTogether(isSet, command, typeof publicUrl === "string" ? publicUrl : undefined));
  const read = await readConfig(folder);
  if (read.kind === "wrong") problems.push(...read.problems);
  if (problems.length > 0 || read.kind === "wrong") return { kind: "wrong", problems };
  if (isSet("openaiApiKey") && !isSet("model")) values["model"] = "gpt-5-mini";
  const set = values as Values;
  return { kind: "ok", settings: { ...set, config: withAdmins(read.config, set.adminUsers) } };
}

function withAdmins(config: Config, users: readonly string[]): Config {
  const { admins } = config.access;
  return {
    ...config,
    access: { ...config.access, admins: { ...admins, users: [...admins.users, ...users] } },
  };
}

/** What is wrong between settings that are each right. */
function problemsTogether(
  isSet: (key: keyof Table) => boolean,
  command: Command,
  publicUrl: string | undefined,
): SettingProblem[] {
  const problems: SettingProblem[] = [];
  const need = (key: keyof Table, problem: string, fix: string): void => {
    if (!isSet(key)) problems.push({ name: table[key].name, problem, fix });
  };

  if (command === "gateway" || command === "worker") {
    const why = `is missing, and a ${command} is one of several processes`;
    const alone = "or run everything in one process with npm start.";
    need("databaseUrl", why, `Set it to a Postgres that all processes reach, ${alone}`);
    need("redisUrl", why, `Set it to a Redis that all processes reach, ${alone}`);
  }
  if (command === "migrate") {
    need(
      "databaseUrl",
      "is missing",
      "Set it to the Postgres to migrate; the data in DATA_DIR is migrated by npm start.",
    );
  }

  if (isSet("openaiBaseUrl")) {
    need(
      "model",
      "is missing, and only OpenAI's own server has a default",
      "Set it to a model that the server offers.",
    );
  } else if (isSet("model")) {
    need(
      "openaiApiKey",
      "is missing, but MODEL is set",
      "Set it, or set OPENAI_BASE_URL to a server that needs no key.",
    );
  }

  if (isSet("liteModel")) {
    if (!isSet("liteBaseUrl") && !isSet("openaiBaseUrl") && !isSet("openaiApiKey"))
      need(
        "liteApiKey",
        "is missing, but LITE_MODEL is set and there is no other key",
        "Set it, or set LITE_BASE_URL to a server that needs no key.",
      );
  } else if (isSet("liteBaseUrl") || isSet("liteApiKey")) {
    need(
      "liteModel",
      "is missing, but other settings of the cheap model are there",
      "Set it to the model's name.",
    );
  }

  const isServing = isReached(command);
  if ((isSet("slackBotToken") || isSet("slackClientId")) && !isSet("slackAppToken") && isServing) {
    const fix = "Set SLACK_APP_TOKEN (xapp-) for socket mode, or SLACK_SIGNING_SECRET for HTTP.";
    need("slackSigningSecret", "is missing, and so is SLACK_APP_TOKEN: events could not reach the bot", fix);
  }
  const isDistributed = isSet("slackClientId") || isSet("slackClientSecret");
  if ((isSet("slackAppToken") || isSet("slackSigningSecret")) && !isDistributed) {
    const fix = "Set the bot token (xoxb-), or SLACK_CLIENT_ID and SLACK_CLIENT_SECRET for many workspaces.";
    need("slackBotToken", "is missing, but other settings of Slack are there", fix);
  }
  if (isDistributed) {
    const both = "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong together: set both or none.";
    need("slackClientId", "is missing", both);
    need(
      "secretKey",
      "is missing, and the tokens of workspaces are encrypted with it",
      "Make one: openssl rand -base64 32",
    );
    if (isServing) {
      need("slackClientSecret", "is missing", both);
      need(
        "publicUrl",
        "is missing, and Slack sends people back to it",
        "Set it to the address people reach, with https.",
      );
      if (publicUrl !== undefined && !isSafeToReturnTo(publicUrl)) {
        const problem = "is no https address, and Slack sends people back to no other";
        problems.push({
          name: "PUBLIC_URL",
          problem,
          fix: "Set it to the address people reach, with https.",
        });
      }
    }
  }
  if (isSet("discordClientSecret")) {
    need(
      "discordClientId",
      "is missing",
      "Set it to the application id that belongs to DISCORD_CLIENT_SECRET.",
    );
    if (isServing)
      need(
        "publicUrl",
        "is missing, and Discord sends people who sign in back to it",
        "Set it to the address people reach, or unset DISCORD_CLIENT_SECRET.",
      );
  }
  return problems;
}

/** A worker only answers: nothing has to reach it. */
function isReached(command: Command): boolean {
  return command !== "worker" && command !== "export" && command !== "import";
}

/** The cookie that binds an installation to its browser goes over nothing else, but for a trial on this machine. */
function isSafeToReturnTo(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || hostname === "localhost" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Where the cheap model is. A key goes only to the server that it was given for. */
export function liteServerOf(
  settings: Pick<Settings, "liteBaseUrl" | "liteApiKey" | "openaiBaseUrl" | "openaiApiKey">,
): { readonly baseUrl: string | undefined; readonly apiKey: string | undefined } {
  const { liteBaseUrl, liteApiKey, openaiBaseUrl, openaiApiKey } = settings;
  // A key of its own without an address is one of OpenAI's own server, or another one of the same server.
  if (liteBaseUrl === undefined) return { baseUrl: openaiBaseUrl, apiKey: liteApiKey ?? openaiApiKey };
  const isSame = liteBaseUrl === openaiBaseUrl;
  return { baseUrl: liteBaseUrl, apiKey: liteApiKey ?? (isSame ? openaiApiKey : undefined) };
}

/** Every value that may never be shown, for `maskerOf`. */
export function secretsOf(settings: Settings): readonly string[] {
  const secrets: string[] = [];
  for (const [key, { secrecy }] of Object.entries(table)) {
    const value: unknown = settings[key as keyof Table];
    const texts = Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : [];
    if (secrecy === "whole") secrets.push(...texts);
    if (secrecy === "password") secrets.push(...texts.flatMap(passwordsOf));
    // A header may be a word that is said all the time, such as the name of a data set.
    if (secrecy === "headers")
      secrets.push(...texts, ...texts.flatMap(headerSecretsIn).filter((each) => isNoWord(each)));
  }
  return [...new Set(secrets)];
}

/** Those of them that are masked in what people say: a password that is a word, or the name of what it opens, is said all the time. */
export function secretsInTalk(settings: Settings): readonly string[] {
  const names = new Set(
    Object.entries(table).flatMap(([key, { secrecy }]) => {
      const value: unknown = settings[key as keyof Table];
      return secrecy === "password" && typeof value === "string" ? namesIn(value) : [];
    }),
  );
  return secretsOf(settings).filter((secret) => isNoWord(secret) && !names.has(secret));
}

function namesIn(url: string): string[] {
  const { username, hostname, pathname } = new URL(url);
  return [username, hostname, pathname.slice(1)];
}

function passwordsOf(url: string): string[] {
  const { password } = new URL(url);
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

export interface SettingRow {
  readonly name: string;
  readonly meaning: string;
  readonly shownDefault: string;
  readonly isSecret: boolean;
}

/** The table for people, in the order of the documentation. */
export function settingRows(): readonly SettingRow[] {
  return Object.values(table).map(({ name, meaning, shownDefault, secrecy }) => ({
    name,
    meaning,
    shownDefault,
    isSecret: secrecy !== "none",
  }));
}
