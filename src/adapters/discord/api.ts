/**
 * Discord's REST API for one token: one call, one answer, and what went wrong as a kind that says what may have happened. The
 * library keeps the buckets of Discord's limits; what would have to wait for one is answered as such, and never queued. It tries
 * nothing again by itself, since it would do so at once, and a post twice.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { DefaultRestOptions, REST, type RequestMethod } from "@discordjs/rest";
import type { Log } from "../../core/ports/log.ts";
import type { MayBegin } from "../../core/ports/surface.ts";
import { failureOf, type DiscordFailure } from "./api-failure.ts";

export type DiscordAnswer = { readonly kind: "ok"; readonly data: unknown } | DiscordFailure;

export interface DiscordCall {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: readonly { readonly name: string; readonly data: Buffer; readonly contentType: string }[];
  /** Asked behind the library's own queue. When it says no, nothing is sent. */
  readonly mayBegin?: MayBegin | undefined;
}

export interface DiscordApi {
  /** `route` as `Routes` of discord-api-types gives it. Fails as an answer; none holds the token. */
  call(
    method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
    route: `/${string}`,
    call?: DiscordCall,
  ): Promise<DiscordAnswer>;
  /**
   * The same without the token, for an interaction: its address is permission enough.
   * @param secret the part of the address that is.
   */
  answer(
    method: "POST" | "PATCH",
    route: `/${string}`,
    body: unknown,
    secret: string,
  ): Promise<DiscordAnswer>;
  /** The library's own, for the gateway. */
  readonly rest: REST;
  /** Discord has said that the token is none. Every further call would bring the ban of this machine nearer, so none is made. */
  readonly isRefused: boolean;
  /** The gateway has said so. */
  refused(): void;
  close(): void;
}

export interface DiscordApiOptions {
  readonly token: string;
  /** Default Discord's own. */
  readonly apiUrl?: string;
  /** How long one request may take with its answer, ms. Default 10,000. */
  readonly timeoutMs?: number;
}

/** For whoever runs the bot. */
export const TOKEN_REFUSED =
  "Discord does not take the bot's token any more: set DISCORD_TOKEN to the one of today from the Bot page of the application and " +
  "start Bobbin again; what waits is answered then.";

/** What was waited for has come too late. */
class NotBegun extends Error {
  override readonly name = "NotBegun";
}

/** How soon that may be tried again, ms: by then it is known whether somebody else does. */
const NOT_BEGUN_MS = 100;

/** After so many requests that Discord counts against this machine, and again and again, it is said. */
const INVALID_TOLD = 100;

export function createDiscordApi(deps: { readonly log: Log }, options: DiscordApiOptions): DiscordApi {
  const { log } = deps;
  const { token, apiUrl, timeoutMs = 10_000 } = options;
  if (token === "") throw new RangeError("a Discord token is needed");
  if (!(timeoutMs > 0)) throw new RangeError("timeoutMs has to be more than 0");
  const begin = new AsyncLocalStorage<MayBegin | undefined>();
  const rest = new REST({
    makeRequest(url, init) {
      if (begin.getStore()?.() === false) throw new NotBegun("too late to send");
      return DefaultRestOptions.makeRequest(url, init);
    },
    ...(apiUrl === undefined ? {} : { api: apiUrl }),
    version: "10",
    timeout: timeoutMs,
    retries: 0,
    rejectOnRateLimit: () => true,
    invalidRequestWarningInterval: INVALID_TOLD,
  }).setToken(token);
  rest.on("invalidRequestWarning", ({ count, remainingTime }) =>
    log.warn("Discord refuses many requests; at 10,000 in 10 minutes it closes the door", {
      count,
      remainingTime,
    }),
  );
  let isRefused = false;

  async function send(
    method: keyof typeof RequestMethods,
    route: `/${string}`,
    { body, query, files, mayBegin, secret }: DiscordCall & { readonly secret?: string },
  ): Promise<DiscordAnswer> {
    const auth = secret === undefined;
    try {
      const request = {
        method: RequestMethods[method],
        fullRoute: route,
        auth,
        ...(body === undefined ? {} : { body }),
        ...(files === undefined ? {} : { files: [...files] }),
        ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
      };
      const data: unknown = await begin.run(mayBegin, () => rest.request(request));
      return { kind: "ok", data };
    } catch (error) {
      if (error instanceof NotBegun) return { kind: "rate_limited", afterMs: NOT_BEGUN_MS };
      const failure = failureOf(error, auth ? [token] : [token, secret]);
      if (failure.kind !== "refused" || failure.status !== 401 || !auth) return failure;
      refused();
      return { kind: "token_refused" };
    }
  }

  function refused(): void {
    if (!isRefused) log.error(TOKEN_REFUSED);
    isRefused = true;
  }

  return {
    rest,
    get isRefused() {
      return isRefused;
    },
    refused,
    async call(method, route, call = {}) {
      if (isRefused) return { kind: "token_refused" };
      return send(method, route, call);
    },
    answer: (method, route, body, secret) => send(method, route, { body, secret }),
    close() {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
}

/** The library's names of the methods, which are an enum. */
const RequestMethods = {
  GET: "GET" as RequestMethod.Get,
  POST: "POST" as RequestMethod.Post,
  PATCH: "PATCH" as RequestMethod.Patch,
  PUT: "PUT" as RequestMethod.Put,
  DELETE: "DELETE" as RequestMethod.Delete,
};
