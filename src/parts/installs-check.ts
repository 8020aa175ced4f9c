/** What `doctor` says of the workspaces in which the app is installed. Reads only. */

import { createInstalls } from "../adapters/postgres/installs.ts";
import { openPostgres } from "../adapters/postgres/pool.ts";
import { createSeal } from "../adapters/seal.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { INSTALL_PATH, redirectUrlOf } from "../adapters/slack/install-pages.ts";
import { probeSlackBot, type SlackFinding } from "../adapters/slack/probe.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Install } from "../core/ports/installs.ts";
import type { Log } from "../core/ports/log.ts";
import { troubleOf } from "./slack-troubles.ts";

export interface InstallsCheckDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Hears of each token before it is used. */
  readonly learn: (token: string) => void;
}

/** So many are asked about; of a hundred workspaces nobody reads more. */
const MOST_ASKED = 50;

/** Never rejects. Nothing where the app is not distributed. */
export async function checkInstalls(
  deps: InstallsCheckDeps,
  settings: Settings,
): Promise<readonly SlackFinding[]> {
  const { slackClientId, databaseUrl, secretKey, publicUrl } = settings;
  if (slackClientId === undefined || secretKey === undefined) return [];
  const base = publicUrl ?? "";
  const findings: SlackFinding[] = [
    {
      state: "ok",
      sentence: `The app is installed at ${base.replace(/\/$/, "")}${INSTALL_PATH}; its redirect address has to be ${redirectUrlOf(base)}`,
    },
  ];
  if (databaseUrl === undefined) {
    const sentence =
      "The installs lie in the built-in Postgres, which only Bobbin itself can read while it runs.";
    return [...findings, { state: "ok", sentence: `${sentence} Its log names those that do not work.` }];
  }
  const sql = openPostgres({ url: databaseUrl, log: deps.log });
  try {
    const installs = await createInstalls({ sql, seal: createSeal(secretKey) }).list("slack");
    if (installs.length === 0)
      findings.push({ state: "ok", sentence: "The app is installed in no workspace yet." });
    // Those that are known not to work are named, however many others there are.
    const isWell = (install: Install): boolean => troubleOf(install) === undefined;
    const inOrder = installs.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)));
    const asked = inOrder.slice(0, MOST_ASKED).map((install) => ofInstall(deps, settings, install));
    findings.push(...(await Promise.all(asked)).flat());
    if (installs.length > MOST_ASKED) {
      const more = `${installs.length - MOST_ASKED} more workspaces were not asked about.`;
      findings.push({ state: "ok", sentence: more });
    }
  } catch {
    // What is wrong with the database is said where it is looked at.
    const sentence =
      "Which workspaces have installed the app cannot be read: the database is away, or was never started with.";
    findings.push({ state: "warn", sentence });
  } finally {
    await sql.close();
  }
  return findings;
}

async function ofInstall(
  deps: InstallsCheckDeps,
  { slackApiUrl }: Settings,
  { space, name, secret }: Install,
): Promise<readonly SlackFinding[]> {
  if (secret.kind === "sealed") {
    const next = `Put the key back into SECRET_KEY, behind the first one, or install the app in ${space} again.`;
    return [{ state: "fail", sentence: secret.why, next }];
  }
  deps.learn(secret.value);
  const called = { called: `the token of ${space} (${name})`, fix: `Install the app in ${space} again.` };
  return probeSlackBot(deps, secret.value, { apiUrl: slackApiUrl }, called);
}
