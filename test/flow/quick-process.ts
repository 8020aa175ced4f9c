// The product as a process of its own, with shorter times than it has in earnest: what takes half a minute takes seconds.
import { createLog } from "../../src/adapters/log.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { startApp, type AppWorld, type Role } from "../../src/app.ts";

const role = process.argv[2] as Role;
const read = await readSettings(process.env, { command: role });
if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
const log = createLog({ write: (line) => void process.stdout.write(line) }, { level: "info", secrets: [] });
const times = JSON.parse(process.env["QUICK_TIMES"] ?? "{}") as NonNullable<AppWorld["times"]>;
const ending = new AbortController();
const asked = new Promise<void>((resolve) => {
  process.once("SIGTERM", () => {
    ending.abort();
    resolve();
  });
});
const app = await startApp(role, read.settings, { log, times }, ending.signal);
log.info("Bobbin is ready", { url: app.url });
await asked;
await app.stop();
process.exit();
