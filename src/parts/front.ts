/** What is heard from the first moment: the server listens before its parts are there, and says meanwhile what is waited for. */

import type { ReadyCheck } from "../adapters/http/health.ts";
import { listen, type Mounted, type MountedDirectly } from "../adapters/http/listen.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import { nothingHere, stillStarting } from "./meanwhile.ts";
import { isSlackOverHttp } from "./slack-settings.ts";

/** What answers at an address once it is there. */
interface Sites {
  /** The web chat. */
  readonly web: Mounted["app"];
  readonly admin: Mounted["app"];
  readonly slack: MountedDirectly["direct"];
}

export interface Front {
  readonly url: string;
  /** One more that the process is not ready without. */
  add(check: ReadyCheck): void;
  /** Said to whoever asks; nothing once all is there. */
  waitsFor(what?: string): void;
  /** From now on these answer. */
  show(sites: Partial<Sites>): void;
  close(): Promise<void>;
}

/** @param given what answers by itself from the beginning. Rejects with one sentence for people when the port cannot be taken. */
export async function openFront(
  deps: { readonly clock: Clock; readonly log: Log },
  settings: Settings,
  { given, isWorker }: { readonly given: readonly Mounted[]; readonly isWorker: boolean },
): Promise<Front> {
  let awaited: string | undefined = "its first steps";
  const starting: ReadyCheck = {
    name: "Start",
    check: () => Promise.resolve(awaited && `Bobbin is starting and waits for ${awaited}.`),
  };
  const nothing: Mounted["app"] = {
    fetch: async (request) => {
      const why = await starting.check();
      return why === undefined ? nothingHere() : stillStarting(why, request.method);
    },
  };
  let sites: Sites = {
    web: nothing,
    admin: nothing,
    // Slack sends again what is not taken yet.
    slack: {
      answer: (_, response) => Promise.resolve(void response.writeHead(503).end("Bobbin is starting.")),
    },
  };
  const checks = [starting];
  const web: Mounted = { path: "/", app: { fetch: (request, env) => sites.web.fetch(request, env) } };
  const admin: Mounted = {
    path: "/admin",
    app: { fetch: (request, env) => sites.admin.fetch(request, env) },
  };
  const slack: MountedDirectly = {
    path: "/slack",
    direct: { answer: (request, response) => sites.slack.answer(request, response) },
  };
  const slackFirst = !isWorker && isSlackOverHttp(settings) ? [slack] : [];
  const apps = [...slackFirst, ...given, ...(isWorker ? [] : [admin]), web];
  const server = await listen({ ...deps, apps, checks }, settings);
  return {
    url: server.url,
    add: (check) => void checks.push(check),
    waitsFor: (what) => void (awaited = what),
    show: (more) => void (sites = { ...sites, ...more }),
    close: () => server.close(),
  };
}
