// One request of the REST API, and what is refused.
import type { JsonObject, Permission } from "./model.ts";
import type { Channel, StoredMessage } from "./model.ts";
import type { Platform } from "./platform.ts";

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** A list as `{ list }`. */
  readonly body: JsonObject;
  readonly files: readonly File[];
  readonly authorization: string | undefined;
  /** Of the body. */
  readonly type: string;
}

export interface Route {
  /** `POST /channels/:channel/messages` */
  readonly name: string;
  /** `any`: the bot, or a person's own token. */
  readonly auth: "bot" | "any" | "none";
  /** Nothing for 204. */
  run(call: Call, platform: Platform): unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: JsonObject | undefined;
  readonly retryAfterS: number | undefined;
  /** In place of Discord's usual form. */
  readonly body: JsonObject | undefined;

  constructor(
    status: number,
    code: number,
    message: string,
    more: { readonly errors?: JsonObject; readonly retryAfterS?: number; readonly body?: JsonObject } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = more.errors;
    this.retryAfterS = more.retryAfterS;
    this.body = more.body;
  }
}

/** Discord's form errors name the field. */
export function wrongForm(field: string, code: string, message: string): ApiError {
  const errors = { [field]: { _errors: [{ code, message }] } };
  return new ApiError(400, 50035, `Invalid Form Body: ${field}: ${message}`, { errors });
}

export function need(platform: Platform, channel: Channel, ...permissions: readonly Permission[]): void {
  // What Discord itself cannot reach it answers for with no word of its own.
  if (channel.guild?.isAway === true) throw new ApiError(503, 0, "Service Unavailable");
  if (!platform.state.botMay(channel, "ViewChannel")) throw new ApiError(403, 50001, "Missing Access");
  for (const permission of permissions) {
    if (!platform.state.botMay(channel, permission)) throw new ApiError(403, 50013, `Missing Permissions`);
  }
}

export function channelOf({ params }: Call, { state }: Platform): Channel {
  const channel = state.channels.get(params["channel"] ?? "");
  if (channel === undefined || channel.isDeleted) throw new ApiError(404, 10003, "Unknown Channel");
  return channel;
}

export function messageOf(call: Call, platform: Platform, channel: Channel): StoredMessage {
  const message = platform.state.find(channel.id, call.params["message"] ?? "");
  if (message === undefined || message.isDeleted) throw new ApiError(404, 10008, "Unknown Message");
  return message;
}
