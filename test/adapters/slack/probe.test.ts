import { expect, test } from "vitest";
import { probeSlackBot, probeSlackWay } from "../../../src/adapters/slack/probe.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { readSettings } from "../../../src/adapters/settings/settings.ts";
import { runDoctor } from "../../../src/doctor.ts";
import { silentLog } from "../../support/silent-log.ts";
import { createLocalSlack, type LocalSlack } from "../../support/slack/local-slack.ts";

const deps = { clock: createSystemClock(), log: silentLog };

interface Tokens {
  readonly botToken: string;
  readonly appToken: string | undefined;
  readonly apiUrl: string;
  readonly publicUrl: string | undefined;
}

async function probe(slack: LocalSlack, more: Partial<Tokens> = {}) {
  const { botToken, appToken } = slack.app;
  const asked: Tokens = { botToken, appToken, apiUrl: slack.slackApiUrl, publicUrl: undefined, ...more };
  return [
    ...(await probeSlackBot(deps, asked.botToken, asked)),
    await probeSlackWay(deps, asked.appToken, asked.publicUrl, asked),
  ];
}

test("a complete app is ok, by name and workspace, over the socket and over HTTP", async () => {
  await using slack = await createLocalSlack();
  const findings = await probe(slack);
  expect(findings.map(({ state }) => state)).toEqual(["ok", "ok"]);
  expect(findings[0]?.sentence).toContain("@bobbin");
  const overHttp = await probe(slack, { appToken: undefined, publicUrl: "https://bobbin.example.org/" });
  expect(overHttp.at(-1)?.sentence).toContain("https://bobbin.example.org/slack/events");
});

test("a missing scope is named with its harm, and with the events that need it", async () => {
  await using slack = await createLocalSlack();
  slack.app.scopes.delete("groups:history");
  slack.app.scopes.delete("app_mentions:read");
  const troubles = (await probe(slack)).filter(({ state }) => state !== "ok");
  expect(troubles.map(({ state }) => state)).toEqual(["fail", "warn"]);
  expect(troubles[0]?.next).toContain("app_mention");
  expect(troubles[1]?.sentence).toContain("groups:history");
  expect(troubles[1]?.next).toContain("message.groups");
});

test("of several workspaces each is named with what it lacks, and with how its token is got anew", async () => {
  await using slack = await createLocalSlack();
  const other = slack.team("T2");
  other.app.scopes.delete("users:read");
  const options = { apiUrl: slack.slackApiUrl };
  const name = { called: "the token of T2 (Team T2)", fix: "Install the app in T2 again." };
  const ask = () => probeSlackBot(deps, other.app.botToken, options, name);
  expect((await ask()).map(({ state, sentence }) => [state, sentence])).toEqual([
    ["ok", expect.stringContaining("in the workspace Team T2")],
    ["warn", expect.stringMatching(/^In T2: .*users:read/)],
  ]);
  slack.revoke(other, "quietly");
  expect(await ask()).toEqual([
    {
      state: "fail",
      sentence: expect.stringContaining("the token of T2 (Team T2) (token_revoked)"),
      next: "Install the app in T2 again.",
    },
  ]);
});

test("tokens that are wrong, and a Slack that is away, are told apart; no token is in any sentence", async () => {
  await using slack = await createLocalSlack();
  const botToken = "xoxb-wrong-secret";
  const appToken = "xapp-wrong-secret";
  const wrong = await probe(slack, { botToken, appToken });
  expect(wrong.map(({ state }) => state)).toEqual(["fail", "fail"]);
  expect(wrong.map(({ next }) => next).join(" ")).toMatch(/SLACK_BOT_TOKEN.*SLACK_APP_TOKEN/);
  const away = await probe(slack, { botToken, appToken, apiUrl: "http://127.0.0.1:1/api/" });
  expect(away.map(({ state }) => state)).toEqual(["warn", "warn"]);
  expect(JSON.stringify([wrong, away])).not.toContain("wrong-secret");
});

test("doctor tells of Slack in plain lines, and fails where it cannot work", async () => {
  await using slack = await createLocalSlack();
  const env = { SLACK_API_URL: slack.slackApiUrl, SLACK_APP_TOKEN: slack.app.appToken, PORT: "0" };
  const told = async (more: Readonly<Record<string, string>>): Promise<readonly [number, string]> => {
    const read = await readSettings({ ...env, ...more }, { command: "doctor" });
    if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
    const lines: string[] = [];
    const code = await runDoctor(read.settings, (line) => void lines.push(line));
    return [code, lines.join("\n")];
  };
  const [fine, lines] = await told({ SLACK_BOT_TOKEN: slack.app.botToken });
  expect([fine, lines]).toEqual([0, expect.stringContaining("Slack takes a connection in socket mode.")]);
  const [wrong] = await told({ SLACK_BOT_TOKEN: "xoxb-wrong" });
  expect(wrong).toBe(1);
});
