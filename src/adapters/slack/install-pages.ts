/**
 * `/slack/install` and `/slack/oauth_redirect`: the way of Slack's own library, with a state that is bound to the browser by a cookie, is
 * good for ten minutes and can be spent once, in whichever gateway. What it ends with is one plain page.
 */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ClearStateStore,
  ErrorCode,
  InstallProvider,
  InvalidStateError,
  type CodedError,
  type Installation,
  type StateStore,
} from "@slack/oauth";
import { html } from "hono/html";
import { BobbinError, toBobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Installs } from "../../core/ports/installs.ts";
import type { Log } from "../../core/ports/log.ts";
import type { SingleUse } from "../../core/ports/single-use.ts";
import { createSlackApi } from "./api.ts";
import { identify } from "./identify.ts";
import { SCOPES } from "./scopes.ts";
import { sdkLogger } from "./sdk-log.ts";

export interface InstallPagesDeps {
  readonly installs: Pick<Installs, "save">;
  /** Of the states that people bring back. */
  readonly states: SingleUse;
  /** Whether the app may be installed there at all. */
  mayInstall(space: string): boolean;
  /** The app is installed there, from now on. Never rejects. */
  installed(space: string): Promise<void>;
  readonly learn: (token: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface InstallPagesOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where people reach this server. */
  readonly publicUrl: string;
  readonly stateSecret: string;
  readonly apiUrl?: string;
}

export interface InstallPages {
  /** False where it is none of these pages, and nothing was answered. Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

export const INSTALL_PATH = "/slack/install";
export const REDIRECT_PATH = "/slack/oauth_redirect";
const STATE_S = 600;

/** Where Slack brings people back to: it has to stand in the app's settings, letter by letter. */
export function redirectUrlOf(publicUrl: string): string {
  return `${publicUrl.replace(/\/$/, "")}${REDIRECT_PATH}`;
}

export function createInstallPages(deps: InstallPagesDeps, options: InstallPagesOptions): InstallPages {
  const { clock, log, states } = deps;
  const { clientId, clientSecret, publicUrl, stateSecret, apiUrl } = options;
  const elsewhere = apiUrl === undefined ? {} : { apiUrl };
  const signed = new ClearStateStore(stateSecret, STATE_S);
  const stateStore: StateStore = {
    // Its own random number has only six digits.
    generateStateParam: (wanted, now) =>
      signed.generateStateParam({ ...wanted, metadata: randomUUID() }, now),
    async verifyStateParam(now, state) {
      const wanted = await signed.verifyStateParam(now, state);
      if (await states.use(state, clock.now() + STATE_S * 1_000)) return wanted;
      throw new InvalidStateError("the state was used before");
    },
  };
  const provider = new InstallProvider({
    clientId,
    clientSecret,
    stateStore,
    stateCookieExpirationSeconds: STATE_S,
    directInstall: true,
    installUrlOptions: { scopes: Object.keys(SCOPES), redirectUri: redirectUrlOf(publicUrl) },
    installationStore: {
      storeInstallation: store,
      fetchInstallation: () => Promise.reject(new Error("installs are read elsewhere")),
    },
    logger: sdkLogger(log),
    clientOptions: {
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: 15_000,
      allowAbsoluteUrls: false,
      ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    },
    ...(apiUrl === undefined ? {} : { authorizationUrl: new URL("/oauth/v2/authorize", apiUrl).href }),
  });

  async function store(installation: Installation): Promise<void> {
    const { isEnterpriseInstall, team, enterprise, bot, user } = installation;
    const place = isEnterpriseInstall === true ? enterprise : team;
    if (place === undefined || bot === undefined)
      throw new BobbinError("platform_refused", "Slack gave no token of a bot.");
    deps.learn(bot.token);
    const api = createSlackApi(deps, { token: bot.token, ...elsewhere });
    if (!deps.mayInstall(place.id)) {
      // It was given to us, and is of no use to anybody.
      await api.call("auth.revoke", {});
      log.warn("the app was installed where the rules of access do not want it; the token was given back", {
        space: place.id,
      });
      throw new BobbinError("platform_refused", NOT_WANTED);
    }
    const known = await identify(api);
    await deps.installs.save(
      {
        platform: "slack",
        space: place.id,
        ...(enterprise === undefined ? {} : { enterprise: enterprise.id }),
        name: place.name ?? place.id,
        ...(known.url === undefined ? {} : { url: known.url }),
        bot: { user: known.user, id: known.bot, name: known.name },
        scopes: bot.scopes,
        installedBy: user.id,
      },
      bot.token,
    );
    log.info("the app was installed in a workspace", { space: place.id, by: user.id });
    await deps.installed(place.id);
  }

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("cache-control", "no-store");
    response.setHeader("referrer-policy", "no-referrer");
    await provider.handleInstallPath(request, response);
  }

  async function end(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await provider.handleCallback(request, response, {
      successAsync: (installation) => installedPage(response, installation),
      failureAsync: (error) => failurePage(response, error),
    });
  }

  return {
    async answer(request, response) {
      const path = (request.url ?? "").split("?")[0];
      if (request.method !== "GET" || (path !== INSTALL_PATH && path !== REDIRECT_PATH)) return false;
      try {
        await (path === INSTALL_PATH ? begin : end)(request, response);
      } catch (error) {
        log.error("a page of the installation failed", { error });
        if (!response.headersSent) await page(response, 500, "That did not work", AGAIN);
      }
      return true;
    },
  };
}

const NOT_WANTED = "The admins of this bot have not allowed it in this workspace. Nothing was kept.";
const AGAIN = "Nothing was kept. Begin again from the link for installing.";

async function installedPage(response: ServerResponse, installation: Installation): Promise<void> {
  const { isEnterpriseInstall, team, enterprise } = installation;
  const name = (isEnterpriseInstall === true ? enterprise : team)?.name ?? "your workspace";
  const next = "In Slack, invite the bot to a channel and mention it: it answers in a thread.";
  await page(response, 200, `Installed in ${name}`, next);
}

/** Whose fault it was, and what to do. What Slack or the library said is in the log. */
async function failurePage(response: ServerResponse, error: CodedError | BobbinError): Promise<void> {
  if (error instanceof BobbinError || error.code === undefined) {
    const { message, retryable } = toBobbinError(error);
    return retryable
      ? page(response, 503, "Not now", `Something that is needed does not answer at the moment. ${AGAIN}`)
      : page(response, 403, "Not installed", message === NOT_WANTED ? NOT_WANTED : AGAIN);
  }
  switch (error.code) {
    case ErrorCode.AuthorizationError:
      return page(response, 200, "Not installed", "You have cancelled it in Slack. Nothing was kept.");
    case ErrorCode.InvalidStateError:
    case ErrorCode.MissingStateError:
    case ErrorCode.MissingCodeError: {
      const why = "This link was used before, is older than ten minutes, or was begun in another browser.";
      return page(response, 400, "Not installed", `${why} ${AGAIN}`);
    }
    default:
      return page(response, 502, "Not installed", `Slack did not complete the installation. ${AGAIN}`);
  }
}

async function page(response: ServerResponse, status: number, title: string, text: string): Promise<void> {
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
      </head>
      <body>
        <h1>${title}</h1>
        <p>${text}</p>
      </body>
    </html>`;
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  response.end(String(await markup));
}
