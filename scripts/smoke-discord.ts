/**
 * `npm run smoke:discord`: walks a person with a real server through what could not be tried on stand-ins for Discord, takes away what
 * it posted, and prints a report to paste into an issue. With `--yes` it asks nothing and tries what Discord itself tells.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createDiscordApi } from "../src/adapters/discord/api.ts";
import { identify } from "../src/adapters/discord/identify.ts";
import { createLog } from "../src/adapters/log.ts";
import { readSettings, secretsOf, type Settings } from "../src/adapters/settings/settings.ts";
import { toBobbinError } from "../src/core/errors.ts";
import { maskerOf } from "../src/core/mask.ts";
import { API_CHECKS, commandsFinding } from "./smoke-discord/by-api.ts";
import { awaitMention, walk, type Mention } from "./smoke-discord/by-person.ts";
import { openGateway } from "./smoke-discord/gateway.ts";
import { createPlace } from "./smoke-discord/place.ts";
import { found, reportOf, type Finding } from "./smoke/report.ts";
import { createTalk, type Talk } from "./smoke/talk.ts";

const HELP = `npm run smoke:discord -- [--channel ID] [--yes]

  Needs DISCORD_TOKEN. Stop Bobbin first, or it answers too. Use a text channel for tests, and give the bot the permission
  Manage Threads there: without it Discord lets nobody but you take its threads away.

  --channel  the id of that channel; without it a mention in it tells
  --yes      asks nothing, and tries only what Discord tells by itself; needs --channel`;

interface Flags {
  readonly channel: string | undefined;
  readonly yes: boolean;
  /** Internal: how long a person is waited for, ms. */
  readonly patienceMs: number;
}

async function smoke(settings: Settings, flags: Flags, talk: Talk): Promise<string> {
  const log = createLog({ write: () => {} }, { level: "silent", secrets: [], form: "text" });
  const { discordToken: token = "", discordApiUrl } = settings;
  const elsewhere = discordApiUrl === undefined ? {} : { apiUrl: discordApiUrl.replace(/\/$/, "") };
  const api = createDiscordApi({ log }, { token, ...elsewhere });
  const bot = await identify(api);
  talk.tell(`Discord knows the bot as @${bot.name}.`);
  const findings: Finding[] = [];
  const hasPerson = !flags.yes;
  const gateway = hasPerson
    ? await openGateway({ api, log }, { token, mayReadContent: bot.mayReadContent })
    : undefined;
  try {
    let mention: Mention | undefined;
    if (gateway !== undefined) {
      const begun = await awaitMention(talk, gateway, bot);
      findings.push(...begun.findings);
      mention = begun.mention;
    }
    const channel = flags.channel ?? mention?.channel;
    if (channel === undefined) throw new Error("No channel is known. Say it with --channel.");
    const place = createPlace(api, channel);
    try {
      talk.tell("What Discord tells by itself is tried now; this takes about half a minute.");
      findings.push(await commandsFinding(place, bot));
      for (const check of API_CHECKS) findings.push(...(await check(place)));
      if (gateway !== undefined) findings.push(...(await walk(talk, place, { gateway, bot })));
    } finally {
      const left = await place.clear();
      findings.push(
        found(
          "Everything that was posted is taken away again",
          left === 0,
          left === 0 ? "all of it" : `${left} stay: threads need Manage Threads`,
        ),
      );
    }
  } finally {
    await gateway?.close();
    api.close();
  }
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const way = `${discordApiUrl === undefined ? "Discord" : "a stand-in for Discord"}, ${hasPerson ? "with a person" : "without a person"}`;
  const date = new Date().toISOString().slice(0, 10);
  return reportOf({ platform: "Discord", version, node: process.version, date, way }, findings);
}

function readFlags(): Flags | undefined {
  try {
    const { values } = parseArgs({
      options: {
        channel: { type: "string" },
        yes: { type: "boolean", default: false },
        "patience-ms": { type: "string", default: "120000" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help || (values.yes && values.channel === undefined)) return undefined;
    return { channel: values.channel, yes: values.yes, patienceMs: Number(values["patience-ms"]) };
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const flags = readFlags();
  if (flags === undefined) {
    console.error(HELP);
    return 2;
  }
  const read = await readSettings(process.env, { command: "doctor" });
  if (read.kind === "wrong") {
    for (const { name, problem, fix } of read.problems) console.error(`${name} ${problem}. ${fix}`);
    return 1;
  }
  const { settings } = read;
  if (settings.discordToken === undefined) {
    console.error(`DISCORD_TOKEN is missing.\n\n${HELP}`);
    return 1;
  }
  const mask = maskerOf(secretsOf(settings));
  const talk = createTalk(mask, flags.patienceMs);
  try {
    console.log(mask(`\n${await smoke(settings, flags, talk)}`));
    return 0;
  } catch (error) {
    console.error(mask(error instanceof Error ? toBobbinError(error).message : String(error)));
    return 1;
  } finally {
    talk.close();
  }
}

process.exitCode = await main();
