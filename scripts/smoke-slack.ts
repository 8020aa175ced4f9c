/**
 * `npm run smoke:slack`: walks a person with a real workspace through what could not be tried on stand-ins for Slack, takes away what
 * it posted, and prints a report to paste into an issue. With `--yes` it asks nothing and tries what Slack itself tells.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createLog } from "../src/adapters/log.ts";
import { readSettings, secretsOf, type Settings } from "../src/adapters/settings/settings.ts";
import { createSlackApi } from "../src/adapters/slack/api.ts";
import { identify } from "../src/adapters/slack/identify.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import { toBobbinError } from "../src/core/errors.ts";
import { maskerOf } from "../src/core/mask.ts";
import { API_CHECKS } from "./smoke-slack/by-api.ts";
import { awaitMention, walk, type Mention } from "./smoke-slack/by-person.ts";
import { createPlace } from "./smoke-slack/place.ts";
import { found, reportOf, type Finding } from "./smoke/report.ts";
import { createTalk, type Talk } from "./smoke/talk.ts";
import { openSocket } from "./smoke-slack/socket.ts";
import { checkSlowly, checkStreams } from "./smoke-slack/streams.ts";

const HELP = `npm run smoke:slack -- [--channel C…] [--user U…] [--slow] [--yes]

  Needs SLACK_BOT_TOKEN and, for what a person does, SLACK_APP_TOKEN (socket mode). Stop Bobbin first: Slack gives
  each event to one of an app's connections only. Use a channel for tests in which the bot is a member.

  --channel  the id of that channel; without it a mention in it tells
  --user     your member id, for what only you shall see, and for streams
  --slow     also what takes up to ten minutes: how long a stream lives, and how often a status may be set
  --yes      asks nothing, and tries only what Slack tells by itself; needs --channel`;

interface Flags {
  readonly channel: string | undefined;
  readonly user: string | undefined;
  readonly slow: boolean;
  readonly yes: boolean;
  /** Internal: between two posts, ms. */
  readonly paceMs: number;
  /** Internal: how long a person is waited for, ms. */
  readonly patienceMs: number;
}

async function smoke(settings: Settings, flags: Flags, talk: Talk): Promise<string> {
  const deps = {
    clock: createSystemClock(),
    log: createLog({ write: () => {} }, { level: "silent", secrets: [], form: "text" }),
  };
  const { slackBotToken = "", slackAppToken, slackApiUrl } = settings;
  const elsewhere = slackApiUrl === undefined ? {} : { apiUrl: `${slackApiUrl.replace(/\/$/, "")}/` };
  const api = createSlackApi(deps, { token: slackBotToken, ...elsewhere });
  const bot = await identify(api);
  talk.tell(`Slack knows the bot as @${bot.name}.`);
  const findings: Finding[] = [];

  const hasPerson = !flags.yes;
  const socket =
    hasPerson && slackAppToken !== undefined
      ? await openSocket(createSlackApi(deps, { token: slackAppToken, ...elsewhere }))
      : undefined;
  try {
    let mention: Mention | undefined;
    if (socket !== undefined) {
      const begun = await awaitMention(talk, socket, bot);
      findings.push(...begun.findings);
      mention = begun.mention;
    }
    const channel = flags.channel ?? mention?.channel;
    const user = flags.user ?? mention?.user;
    if (channel === undefined) throw new Error("No channel is known. Say it with --channel.");
    const place = createPlace(api, { channel, paceMs: flags.paceMs });
    const recipient = user === undefined ? undefined : { user, team: mention?.team ?? bot.space };
    try {
      talk.tell("What Slack tells by itself is tried now; this takes about half a minute.");
      for (const check of API_CHECKS) findings.push(...(await check(place)));
      findings.push(...(await checkStreams(place, recipient)));
      if (flags.slow) {
        talk.tell("Now what takes long.");
        findings.push(...(await checkSlowly(place, recipient)));
      }
      if (hasPerson) findings.push(...(await walk(talk, place, { socket, bot, user })));
    } finally {
      const left = await place.clear();
      findings.push(
        found(
          "Everything that was posted is taken away again",
          left === 0,
          left === 0 ? "all of it" : `${left} stay`,
        ),
      );
    }
  } finally {
    socket?.close();
  }
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const way = `${slackApiUrl === undefined ? "Slack" : "a stand-in for Slack"}, ${hasPerson ? "with a person" : "without a person"}`;
  return reportOf(
    { platform: "Slack", version, node: process.version, date: new Date().toISOString().slice(0, 10), way },
    findings,
  );
}

function readFlags(): Flags | undefined {
  try {
    const { values } = parseArgs({
      options: {
        channel: { type: "string" },
        user: { type: "string" },
        slow: { type: "boolean", default: false },
        yes: { type: "boolean", default: false },
        "pace-ms": { type: "string", default: "1100" },
        "patience-ms": { type: "string", default: "120000" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help || (values.yes && values.channel === undefined)) return undefined;
    return {
      channel: values.channel,
      user: values.user,
      slow: values.slow,
      yes: values.yes,
      paceMs: Number(values["pace-ms"]),
      patienceMs: Number(values["patience-ms"]),
    };
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
  if (settings.slackBotToken === undefined) {
    console.error(`SLACK_BOT_TOKEN is missing.\n\n${HELP}`);
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
