import { viewOf } from "../../src/core/reply/view.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_ACCESS } from "../../src/core/access/defaults.ts";
import { createGoalPolicies } from "../../src/core/goal/policy.ts";
import { liteRecordOf, modelRecordOf } from "../../src/adapters/settings/model-record.ts";
import {
  liteServerOf,
  readSettings,
  secretsInTalk,
  secretsOf,
  settingRows,
  type Command,
} from "../../src/adapters/settings/settings.ts";

const root = join(import.meta.dirname, "../..");
const nowhere = join(tmpdir(), "bobbin-no-such-folder");

async function problemsOf(env: Record<string, string>, command: Command = "start") {
  const read = await readSettings(env, { command, folder: nowhere });
  return read.kind === "wrong" ? read.problems : [];
}

async function settingsOf(env: Record<string, string>) {
  const read = await readSettings(env, { folder: nowhere });
  if (read.kind === "wrong")
    throw new Error(read.problems.map(({ name, problem }) => `${name} ${problem}`).join("; "));
  return read.settings;
}

test("an empty environment is right and gives the documented defaults", async () => {
  const settings = await settingsOf({ DATABASE_URL: "", MODEL: "  " });
  expect(settings).toMatchObject({
    databaseUrl: undefined,
    dataDir: "./data",
    host: "127.0.0.1",
    port: 3000,
    logLevel: "info",
    model: undefined,
    adminUsers: [],
  });
  expect(settings.config.limits).toMatchObject({ maxTurns: 20, runMs: 600_000, toolResultBytes: 40_000 });
});

test("everything that is wrong is reported at once, each with a fix and none with a secret", async () => {
  const problems = await problemsOf({
    DATABASE_URL: "mysql://root:hunter2@db/x",
    REDIS_URL: "nothing",
    PORT: "70000",
    LOG_LEVEL: "loud",
    WEB_CHAT: "maybe",
    SLACK_BOT_TOKEN: "hunter2-is-no-token",
    SECRET_KEY: "hunter2",
    WORKER_CONCURRENCY: "1e3",
    HOST: "not a host",
  });
  const names = [
    "DATABASE_URL",
    "REDIS_URL",
    "PORT",
    "LOG_LEVEL",
    "WEB_CHAT",
    "SLACK_BOT_TOKEN",
    "SECRET_KEY",
  ];
  expect(problems.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...names, "WORKER_CONCURRENCY", "HOST", "SLACK_SIGNING_SECRET"]),
  );
  for (const { problem, fix } of problems) {
    expect(problem).not.toBe("");
    expect(fix).toMatch(/^[A-Z]/);
  }
  expect(JSON.stringify(problems)).not.toContain("hunter2");
});

const servers = { DATABASE_URL: "postgres://db/x", REDIS_URL: "redis://cache" };

const distributed = {
  SLACK_APP_TOKEN: "xapp-1",
  PUBLIC_URL: "https://bobbin.example.org",
  SECRET_KEY: "a text that nobody guesses in a while",
};

test.each<[Record<string, string>, Command, string[]]>([
  [{}, "gateway", ["DATABASE_URL", "REDIS_URL"]],
  [{}, "worker", ["DATABASE_URL", "REDIS_URL"]],
  [{ DATABASE_URL: "postgres://db/x" }, "worker", ["REDIS_URL"]],
  [{}, "migrate", ["DATABASE_URL"]],
  [{ SLACK_BOT_TOKEN: "xoxb-1" }, "start", ["SLACK_SIGNING_SECRET"]],
  [{ SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" }, "start", []],
  [{ SLACK_APP_TOKEN: "xapp-1" }, "start", ["SLACK_BOT_TOKEN"]],
  [{ SLACK_BOT_TOKEN: "xoxb-1", ...servers }, "gateway", ["SLACK_SIGNING_SECRET"]],
  [{ SLACK_BOT_TOKEN: "xoxb-1", ...servers }, "worker", []],
  [
    { SLACK_CLIENT_ID: "1" },
    "start",
    ["SLACK_SIGNING_SECRET", "SECRET_KEY", "SLACK_CLIENT_SECRET", "PUBLIC_URL"],
  ],
  [{ SLACK_CLIENT_SECRET: "1", ...distributed }, "start", ["SLACK_CLIENT_ID"]],
  [{ SLACK_CLIENT_ID: "1", SLACK_CLIENT_SECRET: "1", ...distributed }, "start", []],
  [
    {
      SLACK_CLIENT_ID: "1",
      SLACK_CLIENT_SECRET: "1",
      ...distributed,
      PUBLIC_URL: "http://bobbin.example.org",
    },
    "start",
    ["PUBLIC_URL"],
  ],
  [{ SLACK_CLIENT_ID: "1", ...servers }, "worker", ["SECRET_KEY"]],
  [{ DISCORD_CLIENT_SECRET: "1" }, "start", ["DISCORD_CLIENT_ID", "PUBLIC_URL"]],
  [{ WEB_CHAT: "public" }, "start", ["PUBLIC_URL"]],
  [{ WEB_CHAT: "public", ...servers }, "gateway", ["PUBLIC_URL"]],
  [{ WEB_CHAT: "public", ...servers }, "worker", []],
  [{ OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" }, "start", ["MODEL"]],
  [{ MODEL: "gpt-5" }, "start", ["OPENAI_API_KEY"]],
  [{ MODEL: "qwen", OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" }, "start", []],
])("settings that do not go together are named: %j for %s", async (env, command, names) => {
  expect((await problemsOf(env, command)).map(({ name }) => name)).toEqual(names);
});

test("a key alone gives OpenAI's own server and a default model", async () => {
  expect((await settingsOf({ OPENAI_API_KEY: "sk-1" })).model).toBe("gpt-5-mini");
});

test("the secrets are those of the table, with the passwords of URLs in both forms", async () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const settings = await settingsOf({
    DATABASE_URL: "postgres://me:p%40ss@db/x",
    REDIS_URL: "redis://cache",
    OPENAI_API_KEY: "sk-1",
    SLACK_BOT_TOKEN: "xoxb-1",
    SLACK_SIGNING_SECRET: "signed",
    SECRET_KEY: `${key}, ${"ab".repeat(32)}`,
  });
  expect(new Set(secretsOf(settings))).toEqual(
    new Set(["p%40ss", "p@ss", "sk-1", "xoxb-1", "signed", key, "ab".repeat(32)]),
  );
});

test("a password that is a word, or names what it opens, is no secret in what people say", async () => {
  const settings = await settingsOf({
    DATABASE_URL: "postgres://bobbin_app_42:bobbin_app_42@db/bobbin",
    REDIS_URL: "redis://:postgres@cache",
    OPENAI_API_KEY: "ollama",
    SLACK_BOT_TOKEN: "xoxb-1234-abcd",
    SLACK_SIGNING_SECRET: "0123456789abcdef",
  });
  expect(secretsOf(settings)).toEqual(expect.arrayContaining(["bobbin_app_42", "postgres", "ollama"]));
  expect(new Set(secretsInTalk(settings))).toEqual(new Set(["xoxb-1234-abcd", "0123456789abcdef"]));
});

async function withConfig(source: string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "bobbin-config-"));
  try {
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await symlink(root, join(folder, "bobbin"));
    await writeFile(join(folder, "bobbin.config.ts"), source);
    return await readSettings(env, { folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("bobbin.config.ts changes limits and lists models, and the rest keeps its defaults", async () => {
  const read = await withConfig(`import { defineConfig } from "./bobbin/src/config.ts";
    export default defineConfig({
      limits: { maxTurns: 3, toolCallMs: Infinity },
      models: [{ name: "small", contextWindow: 8_192 }, { name: "big", contextWindow: 1e6, price: { input: 1, output: 2 } }],
    });`);
  expect(read).toMatchObject({
    kind: "ok",
    settings: {
      config: {
        limits: { maxTurns: 3, toolCallMs: Number.POSITIVE_INFINITY, runMs: 600_000 },
        models: [
          { name: "small", outputTokens: 4_096, largerOutputTokens: 8_191, seesImages: false },
          { name: "big", outputTokens: 16_384, largerOutputTokens: 32_768, price: { input: 1, output: 2 } },
        ],
      },
    },
  });
});

test("bobbin.config.ts says what is shown of replies, everywhere and in single channels, and the rest keeps its defaults", async () => {
  const read = await withConfig(`export default { replies: {
    footer: "full",
    channels: { "slack:T1:C1": { verbosity: "steps" }, "discord:*:C2": { footer: "off", feedback: false } },
  } };`);
  if (read.kind === "wrong") return expect.unreachable();
  const { replies } = read.settings.config;
  const view = (session: string, parent?: string) =>
    viewOf(replies, session as SessionId, parent === undefined ? {} : { parent });
  expect(view("slack:T1:C9:1.1")).toEqual({ verbosity: "quiet", footer: "full", feedback: true });
  expect(view("slack:T1:C1:1.1")).toEqual({ verbosity: "steps", footer: "full", feedback: true });
  // A thread of Discord's is a channel of its own, and counts as the one in which it hangs.
  expect(view("discord:G1:T7", "C2")).toEqual({ verbosity: "quiet", footer: "off", feedback: false });
  expect(view("discord:G1:T7", "C3").footer).toBe("full");
});

test("what replies are wrongly told is reported by its place, with what may stand there", async () => {
  const read = await withConfig(
    `export default { replies: { verbosity: "loud", channels: { C1: {}, "slack:T1:C1": { footer: 1 } } } };`,
  );
  if (read.kind === "ok") return expect.unreachable();
  const told = read.problems.map(({ name, problem }) => `${name}: ${problem}`).join("\n");
  expect(told).toContain('replies.verbosity: must be "quiet", "steps" or "full"');
  expect(told).toContain('replies.channels.slack:T1:C1.footer: must be "off", "short" or "full"');
  expect(told).toContain("replies.channels.C1");
});

test("a wrong bobbin.config.ts is reported like a wrong variable, everything at once", async () => {
  const read = await withConfig(`export default {
    limits: { maxTurns: 0, runMs: Infinity, toolCallMs: -1, typo: 1 },
    models: [{ name: "m", contextWindow: 10, outputTokens: 20 }],
  };`);
  if (read.kind === "ok") return expect.unreachable();
  const names = read.problems.map(({ name }) => name).join("\n");
  for (const at of [
    "limits.maxTurns",
    "limits.runMs",
    "limits.toolCallMs",
    "limits",
    "models[0].outputTokens",
  ]) {
    expect(names).toContain(`bobbin.config.ts: ${at}`);
  }
});

test("who may use the bot stands in bobbin.config.ts, admins in ADMIN_USERS too, and the rest keeps its defaults", async () => {
  const read = await withConfig(
    `import { defineConfig } from "./bobbin/src/config.ts";
    export default defineConfig({
      access: {
        channels: { deny: ["slack:T1:C9"] },
        roles: { allow: ["discord:G1:R1"] },
        guests: { users: ["slack:T1:U3"] },
        admins: { users: ["slack:T1:U1"] },
        commands: { reset: "admins" },
        bots: { allow: ["slack:T1:U7"] },
        limits: { user: { most: 20, withinMinutes: 60 } },
      },
    });`,
    { ADMIN_USERS: "discord:*:U2" },
  );
  if (read.kind !== "ok") return expect.unreachable(JSON.stringify(read));
  expect(read.settings.config.access).toEqual({
    ...DEFAULT_ACCESS,
    channels: { deny: ["slack:T1:C9"] },
    roles: { allow: ["discord:G1:R1"], deny: [] },
    guests: { users: ["slack:T1:U3"] },
    admins: { platform: true, users: ["slack:T1:U1", "discord:*:U2"], roles: [] },
    commands: { ...DEFAULT_ACCESS.commands, reset: "admins" },
    bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:U7"] },
    limits: { user: { most: 20, withinMs: 3_600_000 } },
  });
});

test("wrong rules of access are reported by their place, all at once", async () => {
  const read = await withConfig(`export default { access: {
    spaces: { deny: ["T1"] },
    channels: { allow: [] },
    users: { denied: [] },
    guests: "some",
    commands: { restet: "admins", stop: { user: [] } },
    limits: { user: { most: 0, withinMinutes: 5 } },
    bots: { allow: ["slack:T1"] },
  } };`);
  if (read.kind === "ok") return expect.unreachable();
  expect(read.problems.map(({ name }) => name.replace("bobbin.config.ts: access.", "")).sort()).toEqual(
    [
      "spaces.deny[0]",
      "channels.allow",
      "users",
      "guests",
      "commands.stop",
      "commands",
      "limits.user.most",
      "bots.allow[0]",
    ].sort(),
  );
});

test("what goals may do stands in bobbin.config.ts, by default and in single spaces and channels", async () => {
  const read = await withConfig(`export default { goals: {
    tokens: 100_000, most: { turns: 50 }, atOnce: 3,
    places: { "slack:T1": { gapMs: 5_000, atOnce: 20 }, "slack:*:C9": { allow: false }, "slack:T1:C1": { turns: 40, verify: false } },
  } };`);
  if (read.kind !== "ok") return expect.unreachable(JSON.stringify(read));
  const policies = createGoalPolicies(read.settings.config.goals);
  const at = (id: string) => policies.at(id as SessionId);
  expect(at("discord:G1:D1")).toMatchObject({
    allow: true,
    limits: { tokens: 100_000, turns: 20, minutes: 60 },
    most: { tokens: 5_000_000, turns: 50, minutes: 600 },
    gapMs: 1_000,
  });
  expect(at("slack:T1:C1:1.5")).toMatchObject({
    limits: { tokens: 100_000, turns: 40, minutes: 60 },
    gapMs: 5_000,
    verify: false,
  });
  expect(at("slack:T1:C2:1.5").verify).toBeUndefined();
  expect([at("slack:T1:C9:1.5").allow, at("slack:T1:C8:1.5").allow]).toEqual([false, true]);
  // A thread that is a channel of its own counts as the one in which it hangs.
  expect(policies.at("slack:T1:C1:1.5" as SessionId, { parent: "C9" }).allow).toBe(false);
  expect(["slack:T1:C1:1.5", "slack:T2:C1:1.5"].map((id) => policies.atOnceIn(id as SessionId))).toEqual([
    20, 3,
  ]);
});

test("wrong rules of goals are reported by their place, each with what is wrong, all at once", async () => {
  const read = await withConfig(`export default { goals: {
    tokens: 6_000_000, turns: 0, atonce: 3, gapMs: -1,
    places: { "slack:T1:C1": { atOnce: 2, minutes: 900 }, "T1": {} },
  } };`);
  const more = await withConfig(`export default { goals: {
    tokens: 6_000_000, places: { "slack:T1:C1": { atOnce: 2, minutes: 900 } },
  } };`);
  if (read.kind === "ok" || more.kind === "ok") return expect.unreachable();
  const told = [...read.problems, ...more.problems].map(
    ({ name, problem }) => `${name.replace("bobbin.config.ts: goals", "")} ${problem}`,
  );
  for (const words of [
    ".turns must be above zero",
    ".gapMs must not be below zero",
    "atonce",
    "must be a space such as slack:T1",
    ".tokens is 6000000, above most.tokens, which is 5000000: lower it, or raise most.tokens",
    ".places.slack:T1:C1.minutes is 900, above most.minutes",
    ".places.slack:T1:C1.atOnce counts for a whole space: set it at the space",
  ])
    expect(told.join("\n")).toContain(words);
});

test.each([
  ["export default 7;", "the default export"],
  ["export const config = {};", "has no default export"],
  ["export default {", "cannot be loaded"],
  [
    "export default { models: [{ name: 'a', contextWindow: 9 }, { name: 'a', contextWindow: 9 }] };",
    "lists a twice",
  ],
])("a bobbin.config.ts that says %j is refused with a sentence", async (source, sentence) => {
  const read = await withConfig(source);
  if (read.kind === "ok") return expect.unreachable();
  expect(read.problems.map(({ name, problem }) => `${name} ${problem}`).join("\n")).toContain(sentence);
});

test("the README lists every setting and no other", () => {
  const readme = join(root, "README.md");
  const section = existsSync(readme)
    ? readFileSync(readme, "utf8")
        .split(/^## /m)
        .find((part) => part.startsWith("Settings\n"))
    : undefined;
  if (section === undefined) return;
  const named = [...section.matchAll(/^\|\s*`([A-Z][A-Z0-9_]+)`/gm)].map(([, name]) => name ?? "");
  expect(named.sort()).toEqual(
    settingRows()
      .map(({ name }) => name)
      .sort(),
  );
});

test("a cheap model is on the server of the other one unless said, and a key goes only to the server that it is for", async () => {
  const at = async (env: Record<string, string>) => liteServerOf(await settingsOf(env));
  const own = { OPENAI_BASE_URL: "http://a.example/v1", OPENAI_API_KEY: "k", MODEL: "m", LITE_MODEL: "l" };
  expect(await at(own)).toEqual({ baseUrl: "http://a.example/v1", apiKey: "k" });
  expect(await at({ ...own, LITE_API_KEY: "k2" })).toEqual({ baseUrl: "http://a.example/v1", apiKey: "k2" });
  expect(await at({ ...own, LITE_BASE_URL: "http://b.example/v1" })).toEqual({
    baseUrl: "http://b.example/v1",
    apiKey: undefined,
  });
  expect(liteRecordOf(await settingsOf(own))).toMatchObject({ name: "l", outputCapField: "max_tokens" });
  expect(liteRecordOf(await settingsOf({}))).toBeUndefined();
});

test.each<[string, Record<string, string>, string]>([
  ["without a name", { LITE_BASE_URL: "http://b.example/v1" }, "LITE_MODEL is missing"],
  ["without a key or a server", { LITE_MODEL: "l" }, "LITE_API_KEY is missing"],
])("a cheap model %s is reported with the fix", async (_, env, words) => {
  const read = await readSettings(env);
  if (read.kind === "ok") return expect.unreachable();
  expect(read.problems.map(({ name, problem }) => `${name} ${problem}`).join("\n")).toContain(words);
  expect(read.problems.every(({ fix }) => fix.startsWith("Set it"))).toBe(true);
});

test("OpenAI's own server is told the output cap by the name that its newer models take, any other by the older one", async () => {
  const own = modelRecordOf(await settingsOf({ OPENAI_API_KEY: "k" }));
  const other = modelRecordOf(await settingsOf({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1", MODEL: "qwen3" }));
  expect(own).toMatchObject({ name: "gpt-5-mini", outputCapField: "max_completion_tokens" });
  expect(other).toMatchObject({ name: "qwen3", outputCapField: "max_tokens" });
  expect(modelRecordOf(await settingsOf({}))).toBeUndefined();
});
