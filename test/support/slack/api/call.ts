// One call of the Web API: its arguments as the SDK or anybody else sends them (form or JSON), and the way to refuse it.
import type { JsonObject } from "../message.ts";

/** Slack's `{ ok: false, error }`, or an HTTP status other than 200. */
export class Refusal extends Error {
  readonly code: string;
  readonly details: JsonObject;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: string,
    details: JsonObject = {},
    http: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code);
    this.code = code;
    this.details = details;
    this.status = http.status ?? 200;
    this.headers = http.headers ?? {};
  }
}

export class ApiCall {
  readonly method: string;
  readonly token: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;

  constructor(method: string, token: string | undefined, args: Readonly<Record<string, unknown>>) {
    this.method = method;
    this.token = token;
    this.args = args;
  }

  has(name: string): boolean {
    const value = this.args[name];
    return value !== undefined && value !== null;
  }

  /** Empty strings are nothing. */
  optional(name: string): string | undefined {
    const value = this.args[name];
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  /** @throws {Refusal} `error`, else `invalid_arguments` as Slack does for a required argument. */
  required(name: string, error = "invalid_arguments"): string {
    const value = this.optional(name);
    if (value !== undefined) return value;
    throw new Refusal(error, {
      response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
    });
  }

  flag(name: string, fallback = false): boolean {
    const value = this.args[name];
    if (value === undefined || value === null || value === "") return fallback;
    return value === true || value === "true" || value === "1" || value === 1;
  }

  integer(name: string, fallback: number): number {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    if (!/^\d+$/.test(value)) throw new Refusal("invalid_arguments", { field: name });
    return Number(value);
  }

  /** A structure: JSON in a form field, or itself in a JSON body. @throws {Refusal} when it is neither. */
  json(name: string, error: string): unknown {
    const value = this.args[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw new Refusal(error);
    }
  }
}

/** Token and arguments of a request. The token may stand in the header or, in a form, among the arguments. */
export function readCall(
  method: string,
  headers: { readonly authorization?: string | undefined; readonly "content-type"?: string | undefined },
  query: URLSearchParams,
  body: Buffer,
): ApiCall {
  const contentType = headers["content-type"] ?? "";
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  let args: Record<string, unknown> = Object.fromEntries(query);
  if (contentType.startsWith("application/json")) {
    // Slack reads a token out of a JSON body only where it stands in the header.
    const parsed = parseObject(body.toString("utf8"));
    if (parsed === undefined) throw new Refusal("invalid_json");
    args = { ...args, ...parsed };
    return new ApiCall(method, bearer, args);
  }
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    args = { ...args, ...Object.fromEntries(new URLSearchParams(body.toString("utf8"))) };
  } else if (body.length > 0) {
    throw new Refusal("invalid_post_type");
  }
  const token = bearer ?? (typeof args["token"] === "string" ? args["token"] : undefined);
  delete args["token"];
  return new ApiCall(method, token, args);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === "" ? {} : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
