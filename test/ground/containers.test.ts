import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSettings, settingRows } from "../../src/adapters/settings/settings.ts";

interface Service {
  readonly image?: string;
  readonly command?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas?: number };
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const compose = parse(read("docker-compose.yml"), { merge: true }) as { services: Record<string, Service> };
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const ours = Object.entries(compose.services).filter(([, { image }]) => image === "bobbin");
const names = new Set(settingRows().map(({ name }) => name));

/** Joins the lines that end in a backslash, and leaves out comments. */
const dockerfile = read("Dockerfile")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

function variablesOf(lines: readonly string[]): Record<string, string> {
  const pairs = lines
    .filter((line) => line.startsWith("ENV "))
    .flatMap((line) => line.slice(4).trim().split(/\s+/));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

test("a gateway, two workers, Postgres, and a Redis that keeps what it is given", () => {
  expect(ours.map(([name]) => name).sort()).toEqual(["gateway", "worker"]);
  expect(compose.services["worker"]?.deploy?.replicas).toBe(2);
  expect(compose.services["postgres"]?.image).toMatch(/^postgres:1[5-9]$/);
  expect(compose.services["redis"]?.command).toContain("--maxmemory-policy noeviction");
  expect(compose.services["redis"]?.command).toContain("--appendonly yes");
  for (const [, service] of ours)
    expect(Object.keys(service.depends_on ?? {}).sort()).toEqual(["postgres", "redis"]);
});

test("each command is a script of package.json", () => {
  const last = dockerfile.findLast((line) => line.startsWith("CMD "))?.slice(4) ?? "[]";
  const commands = [
    ...ours.map(([, { command }]) => command ?? ""),
    (JSON.parse(last) as string[]).join(" "),
  ];
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const [, script] = /^npm (?:run )?(\S+)$/.exec(command) ?? [];
    expect(Object.keys(scripts), command).toContain(script);
  }
});

test("each variable is a setting, and the values are right together", async () => {
  const image = variablesOf(dockerfile);
  const forNpm = Object.keys(image).filter((name) => name.startsWith("npm_config_"));
  expect(forNpm).toContain("npm_config_ignore_scripts");
  for (const name of Object.keys(image)) {
    if (name !== "NODE_ENV" && !forNpm.includes(name))
      expect(names, `${name} of the Dockerfile`).toContain(name);
  }
  for (const [service, { environment = {} }] of ours) {
    for (const name of Object.keys(environment)) expect(names, `${name} of ${service}`).toContain(name);
    const filled = Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+:-([^}]*)\}/g, "$1"),
    ]);
    const env = { ...image, ...(Object.fromEntries(filled) as Record<string, string>) };
    const settings = await readSettings(env, {
      command: service === "gateway" ? "gateway" : "worker",
      folder: "/",
    });
    expect(settings, service).toMatchObject({ kind: "ok" });
  }
});

test("what has no sign-in is on for the machine alone, and .env may say otherwise", () => {
  expect(compose.services["gateway"]?.environment?.["WEB_CHAT"]).toBe("${WEB_CHAT:-on}");
});

test("the image runs as a user without rights, holds what the process needs, and says when it is ill", () => {
  const at = (start: string): number => dockerfile.findIndex((line) => line.startsWith(start));
  expect(at("USER node")).toBeGreaterThan(at("COPY src"));
  expect(at("HEALTHCHECK")).toBeGreaterThan(-1);
  expect(dockerfile.some((line) => line.includes("npm ci --omit=dev"))).toBe(true);
  const ignored = read(".dockerignore").split("\n");
  for (const file of ["package.json", "package-lock.json", "src"]) expect(ignored).toContain(`!${file}`);
});
