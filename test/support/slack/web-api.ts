// The Web API: who calls, what they may, what goes wrong on order, and a record of it all.
import type { IncomingMessage, ServerResponse } from "node:http";
import { readCall, Refusal, type ApiCall } from "./api/call.ts";
import { methods, type Method } from "./api/methods.ts";
import { missingScope } from "./api/reach.ts";
import type { Fault, Faults } from "./faults.ts";
import type { JsonObject } from "./message.ts";
import type { Platform } from "./platform.ts";
import type { Teams } from "./teams.ts";
import type { RateLimits } from "./rate-limits.ts";

export interface CallRecord {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly token: string | undefined;
  /** Whose bot token that is or was: a workspace or an organisation. */
  readonly owner: string | undefined;
  /** Milliseconds since the start of the process, as `performance.now()` counts. */
  readonly atMs: number;
  /** Unset while it is under way. */
  readonly endedAtMs: number | undefined;
  /** What was answered, or would have been if the answer had not been lost. */
  readonly answer: JsonObject | undefined;
  readonly status: number | undefined;
  readonly fault: Fault["kind"] | undefined;
}

/** Refusals that a careful app never meets, and the rule that it broke. */
const punished: ReadonlyMap<string, string> = new Map([
  ["msg_too_long", "size"],
  ["msg_blocks_too_long", "size"],
  ["metadata_too_large", "size"],
  ["view_too_large", "size"],
  ["invalid_blocks", "blocks"],
  ["invalid_blocks_format", "blocks"],
  ["invalid_arguments", "arguments"],
  ["invalid_chunks", "arguments"],
  ["cannot_provide_both_markdown_text_and_chunks", "arguments"],
  ["missing_recipient_user_id", "arguments"],
  ["missing_recipient_team_id", "arguments"],
  ["markdown_text_conflict", "arguments"],
  ["no_text", "blank"],
  ["unknown_method", "arguments"],
]);

type OpenRecord = { -readonly [Key in keyof CallRecord]: CallRecord[Key] };

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

export class WebApi {
  readonly calls: readonly CallRecord[];
  readonly #calls: OpenRecord[] = [];
  readonly #teams: Teams;
  readonly #faults: Faults;
  readonly #limitsOf: (owner: string) => RateLimits | undefined;
  /** When a method may be called again after a 429. */
  readonly #closedUntilMs = new Map<string, number>();

  /** @param limitsOf those of one workspace. */
  constructor(teams: Teams, faults: Faults, limitsOf: (owner: string) => RateLimits | undefined) {
    this.#teams = teams;
    this.#faults = faults;
    this.#limitsOf = limitsOf;
    this.calls = this.#calls;
  }

  async serve(
    name: string,
    url: URL,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    let call: ApiCall;
    try {
      call = readCall(name, request.headers, url.searchParams, body);
    } catch (error) {
      send(response, refused(error));
      return;
    }
    const fault = this.#faults.take(call);
    const record: OpenRecord = {
      method: name,
      args: call.args,
      token: call.token,
      owner: this.#teams.ownerOf(call.token),
      atMs: performance.now(),
      endedAtMs: undefined,
      answer: undefined,
      status: undefined,
      fault: fault?.kind,
    };
    this.#calls.push(record);
    const isEdit = ["chat.update", "chat.appendStream", "chat.stopStream"].includes(name);
    const endEdit = isEdit
      ? this.#first.complaints.beginEdit(`${String(call.args["channel"])} ${String(call.args["ts"])}`)
      : undefined;
    this.#complainAboutHaste(call);
    const answer = await this.#play(call, fault);
    endEdit?.();
    record.endedAtMs = performance.now();
    record.answer = answer?.body;
    record.status = answer?.status;
    if (answer === undefined || fault?.kind === "lost response") response.socket?.resetAndDestroy();
    else send(response, answer);
  }

  /** @returns nothing for a call that never arrived. */
  async #play(call: ApiCall, fault: Fault | undefined): Promise<Answer | undefined> {
    switch (fault?.kind) {
      case "rate limited":
        return this.#refuseFor(call, fault.retryAfterS);
      case "status":
        return { status: fault.status, body: {}, headers: {} };
      case "unreachable":
        return undefined;
      case "refused":
        return refused(new Refusal(fault.error, fault.details));
      case "done and refused":
        this.#perform(call);
        return refused(new Refusal(fault.error));
      case "late":
        await fault.until;
        return this.#perform(call);
      case "late answer": {
        const answer = this.#perform(call);
        await fault.until;
        return answer;
      }
      case "lost response":
      case undefined:
        return this.#perform(call);
      default:
        return fault satisfies never;
    }
  }

  #perform(call: ApiCall): Answer {
    const waitS = this.#limitsOf(this.#owner(call))?.take(call);
    if (waitS !== undefined) return this.#refuseFor(call, waitS);
    const method = methods.get(call.method);
    let platform = this.#first;
    try {
      if (!method) throw new Refusal("unknown_method", { req_method: call.method });
      platform = this.#admit(call, method);
      const result = method.run(call, platform);
      return { status: 200, body: { ok: true, ...result }, headers: scopeHeaders(method, platform) };
    } catch (error) {
      const answer = refused(error);
      const rule = error instanceof Refusal ? punished.get(error.code) : undefined;
      if (rule !== undefined)
        platform.complaints.add(rule, `${call.method} was refused: ${JSON.stringify(answer.body)}`);
      return {
        ...answer,
        headers: { ...(method ? scopeHeaders(method, platform) : {}), ...answer.headers },
      };
    }
  }

  #refuseFor(call: ApiCall, retryAfterS: number): Answer {
    this.#closedUntilMs.set(this.#limitKey(call), performance.now() + retryAfterS * 1000);
    const headers = { "retry-after": String(retryAfterS) };
    return { status: 429, body: { ok: false, error: "ratelimited" }, headers };
  }

  #complainAboutHaste(call: ApiCall): void {
    const early = (this.#closedUntilMs.get(this.#limitKey(call)) ?? 0) - performance.now();
    if (early <= 0) return;
    this.#first.complaints.add("pace", `${call.method} comes ${Math.ceil(early)} ms before Retry-After`);
  }

  /** The workspace that the call is about. @throws {Refusal} */
  #admit(call: ApiCall, method: Method): Platform {
    if (method.token === "none") return this.#first;
    const { app, complaints } = this.#first;
    if (call.token === undefined) throw new Refusal("not_authed");
    const isApp = call.token === app.appToken;
    const platforms = isApp ? [this.#first] : this.#teams.admitted(call.token);
    if (isApp !== (method.token === "app")) throw new Refusal("not_allowed_token_type");
    const platform = this.#teams.meant(call, platforms);
    const place = this.#teams.placeOf(call);
    if (place !== undefined && !platforms.includes(place)) {
      const { teamId } = place.workspace;
      complaints.add("token", `${call.method} in ${teamId} comes with the token of ${this.#owner(call)}`);
    }
    const granted = isApp ? app.appScopes : platform.app.scopes;
    const { scopes } = method;
    if (scopes.length > 0 && !scopes.some((scope) => granted.has(scope))) {
      throw missingScope(scopes.join(","), platform);
    }
    return platform;
  }

  get #first(): Platform {
    const [first] = this.#teams.all;
    if (first === undefined) throw new Error("there is no workspace");
    return first;
  }

  #owner(call: ApiCall): string {
    return this.#teams.ownerOf(call.token) ?? "";
  }

  /** Posts are limited in each channel, everything else for the whole workspace. */
  #limitKey(call: ApiCall): string {
    const key = `${this.#owner(call)} ${call.method}`;
    return call.method === "chat.postMessage" ? `${key} ${call.optional("channel") ?? ""}` : key;
  }
}

function scopeHeaders(method: Method, { app }: Platform): Record<string, string> {
  return {
    "x-oauth-scopes": [...(method.token === "app" ? app.appScopes : app.scopes)].join(","),
    "x-accepted-oauth-scopes": method.scopes.join(","),
  };
}

function refused(error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error;
  const body = { ok: false, error: error.code, ...error.details };
  return { status: error.status, body, headers: error.headers };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(status >= 500 ? "upstream error" : JSON.stringify(body));
}
