// Holds the layout of the source: who may import whom, and how long a file may get. The rules are an allow-list, so a new
// folder or a new dependency has to be named here first.
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, matchesGlob, relative } from "node:path";
import { expect, test } from "vitest";
import { WHOLE } from "./support/kinds.ts";

const root = join(import.meta.dirname, "..");
const longest = 400;

interface Rule {
  /** A folder (with a slash at the end) or a file, from the root of the project. The most exact rule counts. */
  readonly where: string;
  /** Folders and files that it may import, besides itself. */
  readonly may: readonly string[];
  /** npm packages that it may import; "*" for all. */
  readonly packages: readonly string[];
  readonly node: "allowed" | "forbidden";
}

const markdown = [
  "mdast",
  "mdast-util-from-markdown",
  "mdast-util-gfm",
  "mdast-util-to-markdown",
  "micromark-extension-gfm",
];
const core = { may: ["src/core/"], node: "forbidden" } as const;
const adapter = { may: ["src/core/"], node: "allowed" } as const;

const rules: readonly Rule[] = [
  { ...core, where: "src/core/", packages: [] },
  { ...core, where: "src/core/reply/", packages: markdown },
  { ...adapter, where: "src/queue/", packages: ["@bull-board/api", "bullmq", "hono", "ioredis"] },
  {
    ...adapter,
    where: "src/adapters/postgres/",
    packages: ["pg", "@electric-sql/pglite", "node-pg-migrate"],
  },
  { ...adapter, where: "src/adapters/openai/", packages: ["openai", "undici"] },
  { ...adapter, where: "src/adapters/demo/", packages: [] },
  { ...adapter, where: "src/adapters/local/", packages: [] },
  { ...adapter, where: "src/adapters/tools/", packages: ["zod"] },
  {
    ...adapter,
    where: "src/adapters/web/",
    may: ["src/core/", "src/adapters/http/"],
    packages: ["highlight.js", "hono", "zod", ...markdown],
  },
  { ...adapter, where: "src/adapters/web/browser/", packages: [], node: "forbidden" },
  {
    ...adapter,
    where: "src/adapters/admin/",
    may: ["src/core/", "src/adapters/http/"],
    packages: ["hono"],
  },
  { ...adapter, where: "src/adapters/admin/browser/", packages: [], node: "forbidden" },
  {
    ...adapter,
    where: "src/adapters/slack/",
    may: ["src/core/", "src/adapters/unsent.ts"],
    packages: ["@slack/bolt", "@slack/oauth", "@slack/web-api", "hono", "undici", ...markdown],
  },
  {
    ...adapter,
    where: "src/adapters/discord/",
    may: ["src/core/", "src/adapters/unsent.ts"],
    packages: ["@discordjs/rest", "@discordjs/ws", "discord-api-types", "mdast"],
  },
  { ...adapter, where: "src/adapters/metrics/", packages: ["hono", "prom-client"] },
  {
    ...adapter,
    where: "src/adapters/traces/",
    packages: [
      "@opentelemetry/api",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
    ],
  },
  { ...adapter, where: "src/adapters/mcp/", packages: ["@modelcontextprotocol/sdk"] },
  { ...adapter, where: "src/adapters/settings/", packages: ["zod"] },
  { ...adapter, where: "src/adapters/log.ts", packages: ["pino"] },
  { ...adapter, where: "src/adapters/ids.ts", packages: [] },
  { ...adapter, where: "src/adapters/seal.ts", packages: [] },
  { ...adapter, where: "src/adapters/unsent.ts", packages: [] },
  { ...adapter, where: "src/adapters/system-clock.ts", packages: [] },
  { ...adapter, where: "src/adapters/http/", packages: ["hono", "@hono/node-server"] },
  {
    ...core,
    where: "src/agent.ts",
    may: ["src/core/", "src/adapters/openai/", "src/adapters/ids.ts", "src/adapters/system-clock.ts"],
    packages: [],
  },
  { ...adapter, where: "src/config.ts", may: ["src/adapters/settings/"], packages: [] },
  // What app.ts is made of: each file builds one part from settings, and may know everything but the app and the commands.
  {
    where: "src/parts/",
    may: ["src/core/", "src/queue/", "src/adapters/"],
    packages: ["hono"],
    node: "allowed",
  },
  {
    where: "src/",
    may: ["src/core/", "src/queue/", "src/adapters/", "src/"],
    packages: ["hono", "@hono/node-server"],
    node: "allowed",
  },
  { where: "test/", may: ["src/", "test/", "scripts/", "bench/"], packages: ["*"], node: "allowed" },
  { where: "scripts/", may: ["src/", "scripts/"], packages: [], node: "allowed" },
  { where: "bench/", may: ["src/", "test/", "bench/"], packages: ["*"], node: "allowed" },
];

/** Length is no measure of a migration (it never changes again) or of recorded data. */
const mayBeLong = [/^src\/adapters\/postgres\/migrations\//, /^test\/fixtures\//];

interface Import {
  readonly from: string;
  readonly to: string;
  /** From the root of the project for our own files, else the name as it is written. */
  readonly kind: "own" | "package" | "node";
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|js|mjs)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
      .filter((file) => !file.includes("node_modules/"));
  } catch {
    return [];
  }
}

const files = ["src", "test", "scripts", "bench"].flatMap(filesUnder);
const builtin = new Set(builtinModules);

/** Static, dynamic, type-only and re-exporting imports, whatever they span; comments are taken out first. */
function importsOf(from: string, source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const forms = [
    /(?:^|[\s;}])(?:import|export)\s[^"'`;()]*?\sfrom\s*["']([^"']+)["']/g,
    /(?:^|[\s;}])import\s*["']([^"']+)["']/g,
    /\bimport\(\s*["']([^"']+)["']/g,
  ];
  const names = forms.flatMap((form) => [...code.matchAll(form)].map(([, name]) => name ?? ""));
  return names.map((name) => {
    if (name.startsWith("."))
      return { from, to: join(dirname(from), name).replaceAll("\\", "/"), kind: "own" };
    if (name.startsWith("node:") || builtin.has(name)) return { from, to: name, kind: "node" };
    return {
      from,
      to: name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
      kind: "package",
    };
  });
}

const covers = (where: string, file: string): boolean =>
  where.endsWith("/") ? file.startsWith(where) : file === where;

function ruleFor(file: string): Rule | undefined {
  return rules.filter(({ where }) => covers(where, file)).sort((a, b) => b.where.length - a.where.length)[0];
}

/** One sentence for an import that is not allowed, or nothing. */
function objection({ from, to, kind }: Import): string | undefined {
  const rule = ruleFor(from);
  if (!rule) return `${from} is in no layer`;
  if (to === "src/main.ts" && !from.startsWith("test/")) return `${from} imports main.ts`;
  if (kind === "node") return rule.node === "allowed" ? undefined : `${from} imports ${to}`;
  if (kind === "package") {
    return rule.packages.includes("*") || rule.packages.includes(to)
      ? undefined
      : `${from} imports the package ${to}`;
  }
  // A folder may import itself, unless a more exact rule gives what lies deeper in it to somebody else.
  const isOwn = covers(rule.where, to) && ruleFor(to)?.where === rule.where;
  return isOwn || rule.may.some((where) => covers(where, to)) ? undefined : `${from} imports ${to}`;
}

const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), "utf8")));

test("every import goes the allowed way", () => {
  expect(files.filter((file) => file.startsWith("src/core/")).length).toBeGreaterThan(10);
  expect(imports.length).toBeGreaterThan(50);
  expect(imports.map(objection).filter((sentence) => sentence !== undefined)).toEqual([]);
});

test("what is found by chance is never tried again, since another try would hide it", () => {
  const again = imports.filter(({ from }) => WHOLE.some((pattern) => matchesGlob(from, pattern)));
  expect(again.length).toBeGreaterThan(100);
  expect(again.filter(({ to }) => to === "fast-check").map(({ from }) => from)).toEqual([]);
});

test("an answer that grows is held until a test has seen it, and no test has a wait of its own", () => {
  const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
  const tests = files.filter((file) => /^test\/(?!architecture).*\.test\.ts$/.test(file));
  expect(tests.length).toBeGreaterThan(300);
  const grows = tests.filter((file) => /\bsay \d{3,} words/.test(textOf(file)));
  expect(grows.filter((file) => !textOf(file).includes(".hold("))).toEqual([]);
  const own = /\bexpect\s*\.poll\(|\bvi\.waitFor\(|\.waitForTimeout\(/;
  expect(tests.filter((file) => own.test(textOf(file)))).toEqual([]);
});

test("every file in src lies in a layer that is named here", () => {
  const ours = files.filter((file) => file.startsWith("src/"));
  const named = /^src\/(core|queue|adapters|parts)\/|^src\/[a-z-]+\.ts$/;
  expect(ours.filter((file) => !named.test(file))).toEqual([]);
  expect(ours.filter((file) => file.startsWith("src/adapters/") && ruleFor(file)?.where === "src/")).toEqual(
    [],
  );
});

test.each<[string, string, "own" | "package" | "node"]>([
  ["src/core/thread.ts", "src/queue/locker.ts", "own"],
  ["src/core/thread.ts", "src/adapters/log.ts", "own"],
  ["src/core/thread.ts", "node:fs", "node"],
  ["src/core/thread.ts", "zod", "package"],
  ["src/core/run/x.ts", "mdast", "package"],
  ["src/queue/locker.ts", "src/adapters/postgres/sql.ts", "own"],
  ["src/adapters/postgres/sql.ts", "src/queue/locker.ts", "own"],
  ["src/adapters/web/server.ts", "src/adapters/postgres/sql.ts", "own"],
  ["src/adapters/web/server.ts", "src/adapters/log.ts", "own"],
  ["src/adapters/web/server.ts", "pg", "package"],
  ["src/adapters/web/server.ts", "src/app.ts", "own"],
  ["src/adapters/openai/client.ts", "ioredis", "package"],
  ["src/app.ts", "src/main.ts", "own"],
  ["src/app.ts", "bullmq", "package"],
])("the rules object when %s imports %s", (from, to, kind) => {
  expect(objection({ from, to, kind })).toBeDefined();
});

test("imports are found in every form", () => {
  const source = `import type { A } from "./a.ts";
    import {
      b,
      type C,
    } from "./b.ts";
    import "./c.ts"; export { d } from "./d.ts"; export * from "./e.ts"; export type { F } from './f.ts';
    const g = await import("./g.ts"); type H = import("./h.ts").H;
    // import { no } from "./comment.ts";
    import fs from "node:fs"; import { x } from "@scope/name/deep"; import * as y from "plain/deep";`;
  expect(
    importsOf("src/x.ts", source)
      .map(({ to }) => to)
      .sort(),
  ).toEqual(
    ["@scope/name", "node:fs", "plain", ..."a b c d e f g h".split(" ")]
      .map((name) => (name.length === 1 ? `src/${name}.ts` : name))
      .sort(),
  );
});

test("no file imports itself by way of others", () => {
  const own = Map.groupBy(
    imports.filter(({ kind }) => kind === "own"),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file) || path.includes(file)) return;
    for (const { to } of own.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test(`no file is longer than ${longest} lines, and none has a name that says nothing`, () => {
  const lines = (file: string): number => readFileSync(join(root, file), "utf8").split("\n").length - 1;
  const judged = files.filter((file) => !mayBeLong.some((pattern) => pattern.test(file)));
  expect(judged.length).toBeGreaterThan(30);
  expect(judged.filter((file) => lines(file) > longest).map((file) => `${file}: ${lines(file)}`)).toEqual([]);
  expect(files.filter((file) => /(^|\/|-)(utils?|helpers?|common|managers?)([/.-])/.test(file))).toEqual([]);
});

test("each decision has a number of its own, the same in its name and its title, and none is missing", () => {
  const folder = join(root, "docs/adr");
  const decisions = readdirSync(folder).toSorted();
  expect(decisions.map((name) => Number(name.slice(0, 4)))).toEqual(decisions.map((_, index) => index + 1));
  const titled = decisions.filter((name) =>
    readFileSync(join(folder, name), "utf8").startsWith(`# ${Number(name.slice(0, 4))}. `),
  );
  expect(titled).toEqual(decisions);
});

/** What only the adapter of a platform may ask: which one it is. Tables by platform say the same without a question. */
const ASKS_FOR_PLATFORM = new RegExp(
  [
    /(?:===|!==|==|!=|\bcase)\s*["'`]NAME["'`]/,
    /["'`]NAME["'`]\s*(?:===|!==|==|!=)/,
    /\bswitch\s*\([^)]*\bplatform\)/,
    // A session's id begins with it.
    /\.startsWith\(\s*["'`]NAME\b/,
    /\[[^\]]*["'`]NAME["'`][^\]]*\]\s*\.includes\(/,
  ]
    .map(({ source }) => source.replaceAll("NAME", "(?:slack|discord|web)"))
    .join("|"),
);

test("outside of the adapters nothing is done for one platform and not for another", () => {
  const own = /^src\/adapters\/(?:slack|discord|web)\//;
  const judged = files.filter((file) => file.startsWith("src/") && !own.test(file));
  const asking = judged.filter((file) => ASKS_FOR_PLATFORM.test(readFileSync(join(root, file), "utf8")));
  expect(asking).toEqual([]);
});

test.each([
  'if (platform === "slack") x();',
  'threadOf(s).platform !== "web"',
  "switch (thread.platform) {",
  "case 'discord':",
  'if ("discord" === thread.platform)',
  'session.startsWith("discord:")',
  '["slack", "discord"].includes(platform)',
])("%s counts as asking for the platform", (code) => {
  expect(ASKS_FOR_PLATFORM.test(code)).toBe(true);
});
