// The REST API: who calls, what Discord's limits say to it, what goes wrong on order, and a record of it all.
import type { IncomingMessage, ServerResponse } from "node:http";
import { applicationRoutes } from "./routes-application.ts";
import { channelRoutes } from "./routes-channels.ts";
import { interactionRoutes } from "./routes-interactions.ts";
import { messageRoutes } from "./routes-messages.ts";
import { ApiError, type Call, type Route } from "./call.ts";
import type { Fault, Faults } from "./faults.ts";
import type { JsonObject } from "./model.ts";
import type { Platform } from "./platform.ts";
import type { BucketState } from "./rate-limits.ts";

export interface CallRecord {
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** As `performance.now()` counts. */
  readonly atMs: number;
  status: number | undefined;
  /** Discord's own error code. */
  code: number | undefined;
  readonly fault: Fault["kind"] | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const routes: readonly Route[] = [
  ...messageRoutes,
  ...channelRoutes,
  ...interactionRoutes,
  ...applicationRoutes,
];

export class RestApi {
  readonly calls: CallRecord[] = [];
  /** 401, 403 and 429 count; ten thousand of them in ten minutes close the door. */
  invalid = 0;
  readonly #platform: Platform;
  readonly #faults: Faults;
  readonly #closedUntilMs = new Map<string, number>();

  constructor(platform: Platform, faults: Faults) {
    this.#platform = platform;
    this.#faults = faults;
  }

  async serve(url: URL, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const path = url.pathname.replace(/^\/api\/v10(?=\/)/, "");
    const found = path === url.pathname ? undefined : routeFor(request.method ?? "GET", path);
    if (found === undefined) {
      send(response, { status: 404, body: { message: "404: Not Found", code: 0 }, headers: {} });
      return;
    }
    const { route, params } = found;
    const query = Object.fromEntries(url.searchParams);
    const read = await readBody(request, body);
    const fault = this.#faults.take({ route: route.name, params, body: read.body });
    const record: CallRecord = {
      route: route.name,
      params,
      query,
      body: read.body,
      atMs: performance.now(),
      status: undefined,
      code: undefined,
      fault: fault?.kind,
    };
    this.calls.push(record);
    const isEdit = route.name === "PATCH /channels/:channel/messages/:message";
    const endEdit = isEdit ? this.#platform.complaints.beginEdit(params["message"] ?? "") : undefined;
    const call: Call = {
      params,
      query,
      ...read,
      authorization: request.headers.authorization,
      type: request.headers["content-type"] ?? "",
    };
    const answer = await this.#play(route, call, fault);
    endEdit?.();
    record.status = answer?.status;
    record.code = (answer?.body as { code?: number } | undefined)?.code;
    if ([401, 403, 429].includes(answer?.status ?? 0)) this.invalid++;
    if (answer === undefined || fault?.kind === "lost response") response.socket?.resetAndDestroy();
    else send(response, answer);
  }

  /** @returns nothing for a call that never arrived. */
  async #play(route: Route, call: Call, fault: Fault | undefined): Promise<Answer | undefined> {
    switch (fault?.kind) {
      case "rate limited": {
        const scope = fault.scope ?? "user";
        return this.#tooMany(route, call, fault.retryAfterS, scope);
      }
      case "status":
        return { status: fault.status, body: undefined, headers: {} };
      case "status after":
        this.#perform(route, call);
        return { status: fault.status, body: undefined, headers: {} };
      case "unreachable":
        return undefined;
      case "refused":
        return { status: fault.status, body: { code: fault.code, message: "refused on order" }, headers: {} };
      case "late":
        await fault.until;
        return this.#perform(route, call);
      case "late answer": {
        const answer = this.#perform(route, call);
        await fault.until;
        return answer;
      }
      case "lost response":
      case undefined:
        return this.#perform(route, call);
      default:
        return fault satisfies never;
    }
  }

  #perform(route: Route, call: Call): Answer {
    const { gateway, limits, complaints } = this.#platform;
    const isPersons = route.auth === "any" && call.authorization?.startsWith("Bearer ") === true;
    if (route.auth !== "none" && !isPersons && call.authorization !== `Bot ${gateway.token}`) {
      return { status: 401, body: { message: "401: Unauthorized", code: 0 }, headers: {} };
    }
    const key = `${route.name} ${majorOf(call)}`;
    const early =
      Math.max(this.#closedUntilMs.get(key) ?? 0, this.#closedUntilMs.get("global") ?? 0) - performance.now();
    if (early > 0) complaints.add("pace", `${route.name} comes ${Math.ceil(early)} ms before Retry-After`);
    // Interactions have limits of their own and none of the others.
    const bucket = route.auth !== "none" && !isPersons ? limits.take(route.name, majorOf(call)) : undefined;
    if (bucket?.refused !== undefined) {
      const { retryAfterS, isGlobal } = bucket.refused;
      return this.#tooMany(route, call, retryAfterS, isGlobal ? "global" : "user", bucket);
    }
    const headers = bucket === undefined ? {} : headersOf(bucket);
    try {
      const result = route.run(call, this.#platform);
      return result === undefined
        ? { status: 204, body: undefined, headers }
        : { status: 200, body: result, headers };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.retryAfterS !== undefined) {
        const body = {
          message: error.message,
          retry_after: error.retryAfterS,
          global: false,
          code: error.code,
        };
        const retry = { "retry-after": String(Math.ceil(error.retryAfterS)), "x-ratelimit-scope": "user" };
        return { status: 429, body, headers: { ...headers, ...retry } };
      }
      if (error.code === 50035) complaints.add("form", `${route.name}: ${error.message}`);
      const body = error.body ?? {
        message: error.message,
        code: error.code,
        ...(error.errors ? { errors: error.errors } : {}),
      };
      return { status: error.status, body, headers };
    }
  }

  #tooMany(route: Route, call: Call, retryAfterS: number, scope: string, bucket?: BucketState): Answer {
    const isGlobal = scope === "global";
    const key = isGlobal ? "global" : `${route.name} ${majorOf(call)}`;
    this.#closedUntilMs.set(key, performance.now() + retryAfterS * 1000);
    return {
      status: 429,
      body: { message: "You are being rate limited.", retry_after: retryAfterS, global: isGlobal },
      headers: {
        ...(bucket === undefined ? {} : headersOf(bucket)),
        "retry-after": String(Math.ceil(retryAfterS)),
        "x-ratelimit-scope": scope,
        ...(isGlobal ? { "x-ratelimit-global": "true" } : {}),
      },
    };
  }
}

function headersOf({ limit, remaining, resetAfterS, hash }: BucketState): Readonly<Record<string, string>> {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": (Date.now() / 1000 + resetAfterS).toFixed(3),
    "x-ratelimit-reset-after": resetAfterS.toFixed(3),
    "x-ratelimit-bucket": hash,
  };
}

function majorOf({ params }: Call): string {
  return params["channel"] ?? params["guild"] ?? params["token"] ?? "";
}

function routeFor(
  method: string,
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const given = path.split("/").map(decodeURIComponent);
  for (const route of routes) {
    const [wanted = "", pattern = ""] = route.name.split(" ");
    const parts = pattern.split("/");
    if (wanted !== method || parts.length !== given.length) continue;
    if (!parts.every((part, at) => part.startsWith(":") || part === given[at])) continue;
    const params = parts.flatMap((part, at) =>
      part.startsWith(":") ? [[part.slice(1), given[at] ?? ""]] : [],
    );
    return { route, params: Object.fromEntries(params) as Record<string, string> };
  }
  return undefined;
}

async function readBody(
  request: IncomingMessage,
  bytes: Buffer,
): Promise<{ readonly body: JsonObject; readonly files: readonly File[] }> {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
    const files = [...form.values()].filter((value) => typeof value !== "string");
    const json = form.get("payload_json");
    return { body: JSON.parse(typeof json === "string" ? json : "{}") as JsonObject, files };
  }
  if (type.startsWith("application/x-www-form-urlencoded"))
    return { body: Object.fromEntries(new URLSearchParams(bytes.toString("utf8"))), files: [] };
  const parsed: unknown = bytes.length === 0 ? {} : JSON.parse(bytes.toString("utf8"));
  return { body: (Array.isArray(parsed) ? { list: parsed } : parsed) as JsonObject, files: [] };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(status, { ...type, ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
