// Settings whose form alone would let through more than was meant, or that hold more than one secret.
import { expect, test } from "vitest";
import { checkConfig } from "../../src/adapters/settings/config.ts";
import {
  readSettings,
  secretsOf,
  type SettingProblem,
  type Settings,
} from "../../src/adapters/settings/settings.ts";

async function problemsOf(env: Record<string, string>): Promise<readonly SettingProblem[]> {
  const read = await readSettings(env, { folder: "/nowhere" });
  return read.kind === "wrong" ? read.problems : [];
}

async function settingsOf(env: Record<string, string>): Promise<Settings> {
  const read = await readSettings(env, { folder: "/nowhere" });
  if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
  return read.settings;
}

test.each([
  ["https://bobbin.example.org/bobbin", "behind the host"],
  ["https://bobbin.example.org/?a=1", "behind the host"],
  ["https://bobbin.example.org/#top", "behind the host"],
  ["https://me:hunter2@bobbin.example.org", "a user or a password"],
])("a PUBLIC_URL that pages could not stand at is refused: %s", async (url, why) => {
  const [problem, ...others] = await problemsOf({ PUBLIC_URL: url });
  expect(others).toEqual([]);
  expect(problem?.problem).toContain(why);
  expect(problem?.fix).toContain("https://bobbin.example.org");
  expect(JSON.stringify(problem)).not.toContain("hunter2");
});

test("a PUBLIC_URL is kept as a browser writes it", async () => {
  for (const given of ["https://bobbin.example.org/", "HTTPS://Bobbin.Example.ORG:443"])
    expect((await settingsOf({ PUBLIC_URL: given })).publicUrl).toBe("https://bobbin.example.org");
  expect((await settingsOf({ PUBLIC_URL: "http://127.0.0.1:8080" })).publicUrl).toBe("http://127.0.0.1:8080");
});

test("what is sent along with traces is a secret in each form in which it travels, and a word among it is none", async () => {
  const given = "api-key=abc-123-def%21, authorization=Bearer%20of-4711-xyz,dataset=production";
  const secrets = secretsOf(await settingsOf({ OTEL_EXPORTER_OTLP_HEADERS: given }));
  expect(secrets).toEqual(
    expect.arrayContaining([given, "abc-123-def%21", "abc-123-def!", "Bearer of-4711-xyz", "of-4711-xyz"]),
  );
  expect(secrets).not.toContain("production");
});

test("admins are named: everybody of a space at once is refused in both lists, and any space is not", async () => {
  const [problem] = await problemsOf({ ADMIN_USERS: "slack:T1:U1, slack:*:*" });
  expect(problem).toMatchObject({ name: "ADMIN_USERS", problem: 'holds "slack:*:*"' });
  expect(problem?.fix).toContain("access.admins");
  expect((await settingsOf({ ADMIN_USERS: "discord:*:U2" })).adminUsers).toEqual(["discord:*:U2"]);
  const checked = checkConfig({ access: { admins: { users: ["slack:T1:*", "discord:*:U2"] } } });
  if (checked.kind === "ok") return expect.unreachable();
  expect(checked.problems.map(({ at }) => at)).toEqual(["access.admins.users[0]"]);
  expect(checked.problems[0]?.problem).toContain("must name a person");
});
