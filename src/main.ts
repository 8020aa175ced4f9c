/** The commands: start, gateway, worker, migrate, doctor. Reads its world once and hands it on. */

import { createLog } from "./adapters/log.ts";
import {
  readSettings,
  secretsOf,
  type Command,
  type SettingProblem,
  type Settings,
} from "./adapters/settings/settings.ts";
import { startApp, type App, type Role } from "./app.ts";
import { toBobbinError } from "./core/errors.ts";
import { maskerOf } from "./core/mask.ts";
import type { Log } from "./core/ports/log.ts";
import { runDoctor } from "./doctor.ts";
import { preparePostgres } from "./parts/database.ts";

const COMMANDS: readonly Command[] = ["start", "gateway", "worker", "migrate", "doctor"];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(argument: string | undefined): Promise<number> {
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
  const secrets = secretsOf(settings);
  const form = process.stdout.isTTY ? "text" : "json";
  const log = createLog(
    { write: (line) => void process.stdout.write(line) },
    { level: settings.logLevel, secrets, form },
  );
  try {
    switch (command) {
      case "doctor":
        return await runDoctor(settings, print);
      case "migrate":
        await preparePostgres(settings.databaseUrl ?? "", log);
        print("The schema is up to date.");
        return 0;
      case "start":
      case "gateway":
      case "worker":
        return await serve(command, settings, log);
      default:
        return command satisfies never;
    }
  } catch (error) {
    // An operator reads one sentence; the log has the rest.
    log.error("Bobbin could not go on", { error });
    complain(maskerOf(secrets)(toBobbinError(error).message));
    return 1;
  }
}

function problemLines(problems: readonly SettingProblem[]): string[] {
  return [
    "Some settings are wrong:",
    ...problems.map(({ name, problem, fix }) => `  ${name} ${problem}. ${fix}`),
  ];
}

/** Runs until a signal: the first one ends in order, the second at once. */
async function serve(role: Role, settings: Settings, log: Log): Promise<number> {
  const ending = new AbortController();
  const asked = Promise.withResolvers<undefined>();
  const onSignal = (): void => {
    if (ending.signal.aborted) process.exit(130);
    ending.abort();
    asked.resolve(undefined);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);

  let app: App;
  try {
    app = await startApp(role, settings, { log }, ending.signal);
  } catch (error) {
    if (ending.signal.aborted) return 0;
    throw error;
  }
  log.info("Bobbin is ready", { role, url: app.url });
  if (app.hasWebChat) print(`Bobbin is ready. The web chat: ${app.url}/`);
  const failure = await Promise.race([app.failed, asked.promise]);
  if (failure !== undefined) complain(failure);
  await app.stop();
  return failure === undefined ? 0 : 1;
}

process.exitCode = await main(process.argv[2]);
// A connection that someone else keeps alive must not keep the process.
process.exit();
