/**
 * `npm run doctor`: what is configured, what answers, and what to do next, one plain line each. It changes nothing, except
 * that it sends the model one tiny request.
 */
import { once } from "node:events";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { backUrlOf } from "./adapters/admin/pages/paths.ts";
import { probeModel } from "./adapters/openai/probe.ts";
import { liteRecordOf, modelRecordOf } from "./adapters/settings/model-record.ts";
import { liteServerOf, secretsOf, type Settings } from "./adapters/settings/settings.ts";
import { createSystemClock } from "./adapters/system-clock.ts";
import { probeDiscord } from "./adapters/discord/probe.ts";
import { probeSlackBot, probeSlackWay } from "./adapters/slack/probe.ts";
import type { Log } from "./core/ports/log.ts";
import { formatTokens } from "./core/measure.ts";
import { createKnownSecrets } from "./core/mask.ts";
import type { Platform } from "./core/thread.ts";
import { checkInstalls } from "./parts/installs-check.ts";
import { isWebChatOn } from "./parts/places.ts";
import { publicChatOf } from "./parts/web-chat.ts";
import { checkPostgres } from "./parts/postgres-check.ts";
import { checkRedis } from "./queue/redis-check.ts";

interface Finding {
  readonly state: "ok" | "warn" | "fail";
  readonly sentence: string;
  /** What to do about it. */
  readonly next?: string;
}

/** What goes wrong is in the findings. */
const NO_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => NO_LOG,
};

type Checked = Finding | readonly Finding[];

/**
 * Prints one line for each finding and then what to do next. Never throws.
 * @returns the exit code: 0 when nothing failed.
 */
export async function runDoctor(settings: Settings, print: (line: string) => void): Promise<number> {
  const secrets = createKnownSecrets(secretsOf(settings));
  const checks: readonly Promise<Checked>[] = [
    checkNode(),
    checkDatabase(settings),
    checkRedisServer(settings),
    checkModel(settings),
    checkLiteModel(settings),
    checkPort(settings),
    checkSlack(settings, (secret) => secrets.learn(secret)),
    checkDiscord(settings),
    checkPlatforms(settings),
    checkSignIn(settings),
    checkGoals(settings),
  ];
  const next: string[] = [];
  let failed = 0;
  // Asked all at once, told in order.
  for (const check of checks) {
    for (const finding of [await check].flat() as readonly Finding[]) {
      print(secrets.mask(`${finding.state.padEnd(4)}  ${finding.sentence}`));
      if (finding.next !== undefined) next.push(finding.next);
      if (finding.state === "fail") failed++;
    }
  }
  print("");
  if (next.length === 0) print("Nothing to do: start Bobbin.");
  for (const sentence of next) print(secrets.mask(`next  ${sentence}`));
  return failed === 0 ? 0 : 1;
}

async function checkGoals({ config: { goals } }: Settings): Promise<Checked> {
  const places = goals.places.length === 0 ? "" : `, with ${goals.places.length} places of their own rules`;
  const { tokens, turns, minutes } = goals.limits;
  const usual = `${formatTokens(tokens)}, ${turns} turns and ${minutes} minutes each, ${goals.atOnce} turns at once in a space`;
  return {
    state: "ok",
    sentence: goals.allow ? `Goals may use ${usual}${places}.` : `Goals are switched off${places}.`,
  };
}

async function checkNode(): Promise<Checked> {
  const { version } = process;
  if (Number(version.slice(1).split(".")[0]) >= 24)
    return { state: "ok", sentence: `Node ${version} runs Bobbin.` };
  const next = "Start Bobbin with npm start, which brings its own Node, or install Node 24.";
  return { state: "fail", sentence: `Node ${version} is too old: Bobbin needs 24 or newer.`, next };
}

async function checkDatabase({ databaseUrl, dataDir }: Settings): Promise<Checked> {
  if (databaseUrl === undefined) return checkDataDir(dataDir);
  const found = await checkPostgres(databaseUrl, `Postgres at ${new URL(databaseUrl).host}`);
  if (found.kind !== "fit") return { state: "fail", sentence: found.sentence, next: found.fix };
  return { state: "ok", sentence: `Postgres ${found.version} answers at ${new URL(databaseUrl).host}.` };
}

async function checkDataDir(dataDir: string): Promise<Checked> {
  const folder = resolve(dataDir);
  if (!(await canWrite(folder))) {
    const next = "Make the folder writable, or set DATA_DIR to one that is.";
    return { state: "fail", sentence: `The folder ${folder} cannot be written.`, next };
  }
  return [
    { state: "ok", sentence: `The data goes into ${folder}, with the built-in Postgres, for one process.` },
    {
      state: "warn",
      sentence: "The built-in Postgres survives a killed process, but not a power cut.",
      next: "For production set DATABASE_URL to a Postgres of version 15 or newer.",
    },
  ];
}

/** The folder, or the nearest one above it that exists, where it would be made. */
async function canWrite(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const parent = dirname(folder);
    return isMissing && parent !== folder ? canWrite(parent) : false;
  }
}

async function checkRedisServer({ redisUrl, databaseUrl }: Settings): Promise<Checked> {
  if (redisUrl === undefined) {
    return { state: "ok", sentence: "No Redis is configured: everything runs in one process." };
  }
  const where = new URL(redisUrl).host;
  const found = await checkRedis(redisUrl, { called: `Redis at ${where}` });
  if (found.kind !== "fit") return { state: "fail", sentence: found.sentence, next: found.fix };
  const findings: Finding[] = [{ state: "ok", sentence: `Redis ${found.version} answers at ${where}.` }];
  if (!found.isPolicyKnown) {
    const next = "Make sure that the maxmemory-policy of Redis is noeviction.";
    findings.push({ state: "warn", sentence: "Redis does not tell its maxmemory-policy.", next });
  }
  if (databaseUrl === undefined) {
    const sentence = "Redis is configured without DATABASE_URL: the data still belongs to one process.";
    findings.push({ state: "warn", sentence, next: "Set DATABASE_URL to run several processes." });
  }
  return findings;
}

async function checkLiteModel(settings: Settings): Promise<Checked> {
  const { liteModel: model } = settings;
  const record = liteRecordOf(settings);
  if (model === undefined || record === undefined) return [];
  const { apiKey, baseUrl } = liteServerOf(settings);
  const { outputCapField } = record;
  const probe = await probeModel({
    apiKey,
    baseUrl,
    model,
    ...(outputCapField === undefined ? {} : { outputCapField }),
  });
  const where = baseUrl === undefined ? "OpenAI" : new URL(baseUrl).host;
  switch (probe.kind) {
    case "answers":
      return { state: "ok", sentence: `The cheap model ${model} at ${where} answers (${probe.afterMs} ms).` };
    case "later":
      return {
        state: "warn",
        sentence: `The cheap model ${model} at ${where} does not answer now. ${probe.why}`,
      };
    case "refused": {
      const next =
        "Correct LITE_MODEL, LITE_BASE_URL or LITE_API_KEY: until then goals are reached without a check.";
      return {
        state: "fail",
        sentence: `The cheap model ${model} at ${where} cannot be used. ${probe.why}`,
        next,
      };
    }
  }
}

async function checkModel(settings: Settings): Promise<Checked> {
  const { openaiApiKey, openaiBaseUrl, model } = settings;
  const record = modelRecordOf(settings);
  if (model === undefined || record === undefined) {
    const next = "Set OPENAI_API_KEY, or OPENAI_BASE_URL and MODEL, to get real answers.";
    return { state: "warn", sentence: "No model is configured: a demo model answers.", next };
  }
  const probe = await probeModel({
    apiKey: openaiApiKey,
    baseUrl: openaiBaseUrl,
    model,
    ...(record.outputCapField === undefined ? {} : { outputCapField: record.outputCapField }),
  });
  const where = openaiBaseUrl === undefined ? "OpenAI" : new URL(openaiBaseUrl).host;
  switch (probe.kind) {
    case "answers":
      return { state: "ok", sentence: `The model ${model} at ${where} answers (${probe.afterMs} ms).` };
    case "later":
      return { state: "warn", sentence: `The model ${model} at ${where} does not answer now. ${probe.why}` };
    case "refused": {
      const next = "Correct OPENAI_API_KEY, OPENAI_BASE_URL or MODEL.";
      return { state: "fail", sentence: `The model ${model} at ${where} cannot be used. ${probe.why}`, next };
    }
  }
}

async function checkPort({ host, port }: Settings): Promise<Checked> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return { state: "ok", sentence: `Port ${port} on ${host} is free.` };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "EADDRINUSE") {
      const next = "If that is not Bobbin itself, set PORT to another one.";
      return { state: "warn", sentence: `Port ${port} on ${host} is in use.`, next };
    }
    const next = "Set HOST to an address of this machine, and PORT to a port that this user may open.";
    return { state: "fail", sentence: `Port ${port} on ${host} cannot be opened (${code}).`, next };
  } finally {
    server.close();
  }
}

async function checkSlack(settings: Settings, learn: (secret: string) => void): Promise<Checked> {
  const { slackBotToken, slackClientId, slackAppToken, slackApiUrl, publicUrl } = settings;
  if (slackBotToken === undefined && slackClientId === undefined) return [];
  const deps = { clock: createSystemClock(), log: NO_LOG, learn };
  const elsewhere = { apiUrl: slackApiUrl };
  return [
    ...(slackBotToken === undefined ? [] : await probeSlackBot(deps, slackBotToken, elsewhere)),
    ...(await checkInstalls(deps, settings)),
    await probeSlackWay(deps, slackAppToken, publicUrl, elsewhere),
  ];
}

async function checkDiscord({ discordToken, discordClientId, discordApiUrl }: Settings): Promise<Checked> {
  if (discordToken === undefined) return [];
  return probeDiscord(
    { log: NO_LOG },
    { token: discordToken, clientId: discordClientId, apiUrl: discordApiUrl },
  );
}

/** The platforms' own sign-in to the admin pages: an address that is not registered is told only to whoever tries. */
async function checkSignIn(settings: Settings): Promise<Checked> {
  const { publicUrl, slackClientId, slackClientSecret, discordToken, discordClientId, discordClientSecret } =
    settings;
  if (publicUrl === undefined) return [];
  const told = (platform: Platform, name: string, where: string): Finding => ({
    state: "ok",
    sentence: `Admins can sign in with ${name}, which has to know this redirect address, on ${where}: ${backUrlOf(publicUrl, platform)}`,
  });
  const isWithSlack = slackClientId !== undefined && slackClientSecret !== undefined;
  const isWithDiscord = [discordToken, discordClientId, discordClientSecret].every(
    (set) => set !== undefined,
  );
  return [
    ...(isWithSlack ? [told("slack", "Slack", "the page OAuth & Permissions of your app")] : []),
    ...(isWithDiscord ? [told("discord", "Discord", "the page OAuth2 of your application")] : []),
  ];
}

/** What brings messages in besides the platforms. */
async function checkPlatforms(settings: Settings): Promise<Checked> {
  const { slackBotToken, slackClientId, discordToken, host, port } = settings;
  const hasPlatform = [slackBotToken, slackClientId, discordToken].some((set) => set !== undefined);
  const findings: Finding[] = [];
  if (isWebChatOn(settings)) {
    const open = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
    findings.push({ state: "ok", sentence: `The web chat is on: http://${open}:${port}/` });
    const sentence = publicChatOf(settings);
    if (sentence !== undefined) findings.push({ state: "warn", sentence });
  } else if (!hasPlatform) {
    const next = "Set WEB_CHAT=on to talk with Bobbin in the browser.";
    findings.push({ state: "warn", sentence: "The web chat is off, so nothing brings messages in.", next });
  }
  return findings;
}
