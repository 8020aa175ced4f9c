/** The commands: start, gateway, worker, migrate, doctor, export, import. Reads its world once and hands it on. */

import { setTimeout as pause } from "node:timers/promises";
import { createLog } from "./adapters/log.ts";
import {
  readSettings,
  secretsInTalk,
  secretsOf,
  type Command,
  type SettingProblem,
  type Settings,
} from "./adapters/settings/settings.ts";
import { startApp, type App, type Role } from "./app.ts";
import { toBobbinError } from "./core/errors.ts";
import { createKnownSecrets, type KnownSecrets } from "./core/mask.ts";
import type { Log } from "./core/ports/log.ts";
import { publicChatOf } from "./parts/web-chat.ts";

const COMMANDS: readonly Command[] = ["start", "gateway", "worker", "migrate", "doctor", "export", "import"];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(argument: string | undefined, file: string | undefined): Promise<number> {
  const command = COMMANDS.find((known) => known === (argument ?? "start"));
  if (command === undefined) {
    complain(`There is no command ${argument}. Commands: ${COMMANDS.join(", ")}.`);
    return 2;
  }
  const read = await readSettings(process.env, { command });
  if (read.kind === "wrong") {
    for (const line of problemLines(read.problems)) complain(line);
    return 1;
  }
  const { settings } = read;
  const secrets = createKnownSecrets(secretsOf(settings), secretsInTalk(settings));
  const isTerminal = process.stdout.isTTY;
  const form = isTerminal ? "text" : "json";
  const log = createLog(
    { write: (line) => void process.stdout.write(line) },
    { level: settings.logLevel, secrets, form },
  );
  try {
    switch (command) {
      case "doctor": {
        const { runDoctor } = await import("./doctor.ts");
        return await runDoctor(settings, print);
      }
      case "migrate": {
        const { preparePostgres } = await import("./parts/database.ts");
        await preparePostgres(settings.databaseUrl ?? "", log);
        print("The schema is up to date.");
        return 0;
      }
      case "export":
      case "import": {
        if (file === undefined) {
          complain(`Say which file: npm run ${command} -- bobbin.jsonl.gz`);
          return 2;
        }
        const { exportTo, importFrom } = await import("./parts/move.ts");
        print(await (command === "export" ? exportTo : importFrom)(file, settings, log));
        return 0;
      }
      case "start":
      case "gateway":
      case "worker":
        return await serve(command, settings, { log, secrets }, isTerminal ? print : () => {});
      default:
        return command satisfies never;
    }
  } catch (error) {
    // An operator reads one sentence; the log has the rest. At a terminal a stack would push the sentence out of sight.
    if (!isTerminal || settings.logLevel === "debug") log.error("Bobbin could not go on", { error });
    complain(secrets.mask(toBobbinError(error).message));
    return 1;
  }
}

function problemLines(problems: readonly SettingProblem[]): string[] {
  return [
    "Some settings are wrong:",
    ...problems.map(({ name, problem, fix }) => `  ${name} ${problem}. ${fix}`),
  ];
}

/** Ctrl C reaches us from the terminal, and once more from npm, which passes it on: that is one wish, not two. */
const ECHO_MS = 500;
/**
 * Whoever has started us waits for thirty seconds as a rule. Servers that say nothing any more could take longer than that; what
 * was not handed over by then is taken up as after a crash.
 */
const STOPS_WITHIN_MS = 25_000;

/**
 * Runs until a signal: the first one ends in order, the second at once.
 * @param tell says to a person at a terminal what to do next; a log for machines has no such lines.
 */
async function serve(
  role: Role,
  settings: Settings,
  { log, secrets }: { readonly log: Log; readonly secrets: KnownSecrets },
  tell: (line: string) => void,
): Promise<number> {
  const ending = new AbortController();
  const asked = Promise.withResolvers<undefined>();
  let first = { signal: "", at: 0 };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (ending.signal.aborted) {
      if (signal !== first.signal || performance.now() - first.at > ECHO_MS) process.exit(130);
      return;
    }
    first = { signal, at: performance.now() };
    log.info("Bobbin is stopping; a second signal ends it at once", { signal });
    ending.abort();
    asked.resolve(undefined);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);

  let app: App;
  try {
    app = await startApp(
      role,
      settings,
      { log, learn: (secret) => secrets.learn(secret), secrets },
      ending.signal,
    );
  } catch (error) {
    if (ending.signal.aborted) return 0;
    throw error;
  }
  log.info("Bobbin is ready", { role, url: app.url });
  const takesIn = role !== "worker";
  if (takesIn && settings.slackBotToken !== undefined) {
    tell("\n  In Slack: invite the bot to a channel and mention it, and it answers in a thread.");
  }
  if (takesIn && settings.discordToken !== undefined) {
    tell("\n  In Discord: mention the bot in a channel, and it answers in a thread.");
  }
  if (takesIn && settings.slackClientId !== undefined) {
    const base = settings.publicUrl?.replace(/\/$/, "") ?? app.url;
    tell(`\n  To install the app in a workspace of Slack: ${base}/slack/install`);
  }
  const hasPlatform = [settings.slackBotToken, settings.slackClientId, settings.discordToken].some(
    (set) => set !== undefined,
  );
  if (app.hasWebChat) {
    const open = publicChatOf(settings);
    if (open !== undefined) log.warn(open);
    tell(`\n  Chat with Bobbin:  ${app.url}/`);
    tell(`  What it did, for you to review:  ${app.url}/admin/`);
  } else if (takesIn && !hasPlatform) {
    log.warn("nothing brings messages in: the web chat is off; WEB_CHAT=on switches it on");
  }
  if (takesIn) {
    if (role === "start" && settings.model === undefined) {
      tell("  A demo model answers. For a real one start again with OPENAI_API_KEY set.");
    }
    tell("  Ctrl C stops it. `npm run doctor` says what is set up and what is missing.\n");
  }
  const failure = await Promise.race([app.failed, asked.promise]);
  if (failure !== undefined) complain(failure);
  const late = pause(STOPS_WITHIN_MS, "late", { ref: false });
  if ((await Promise.race([app.stop(), late])) === "late") {
    log.warn("Bobbin did not come to its end in time, and ends at once");
    return 1;
  }
  log.info("Bobbin has stopped");
  return failure === undefined ? 0 : 1;
}

process.exitCode = await main(process.argv[2], process.argv[3]);
// A connection that someone else keeps alive must not keep the process.
process.exit();
