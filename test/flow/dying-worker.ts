// A worker that dies as if by kill -9 in the moment between the end of its run and the final page. Started by kill.test.ts.
import { overlaid } from "../../src/core/overlaid.ts";
import { createLog } from "../../src/adapters/log.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { startApp, type AppWorld } from "../../src/app.ts";
import type { PageContent } from "../../src/core/ports/surface.ts";

const read = await readSettings(process.env, { command: "worker" });
if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
const log = createLog({ write: (line) => void process.stdout.write(line) }, { level: "info", secrets: [] });
const isFinal = (page: PageContent): boolean =>
  page.status === undefined && page.buttons.every(({ action }) => action !== "stop");
const dieAtFinal = (page: PageContent): void => {
  if (isFinal(page)) process.kill(process.pid, "SIGKILL");
};

const times = JSON.parse(process.env["QUICK_TIMES"] ?? "{}") as NonNullable<AppWorld["times"]>;

const app = await startApp(
  "worker",
  read.settings,
  {
    log,
    times,
    surface: (surface) =>
      overlaid(surface, {
        post: (...write) => {
          dieAtFinal(write[1]);
          return surface.post(...write);
        },
        edit: (...write) => {
          dieAtFinal(write[1]);
          return surface.edit(...write);
        },
      }),
  },
  new AbortController().signal,
);
log.info("Bobbin is ready", { url: app.url });
