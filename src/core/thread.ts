/**
 * The address of a conversation and its textual id.
 * Only `sessionIdOf` makes a SessionId and only `threadOf` reads one; everywhere else it is opaque.
 */

export type Platform = "slack" | "discord" | "web";

/** An address: Slack needs a root message, a Discord thread is its own channel, the web chat has both. */
export interface Thread {
  readonly platform: Platform;
  /** The Slack install (T… or E…), the Discord guild (or `dm`), or `local`. */
  readonly space: string;
  readonly channel: string;
  /** Id of the root message; absent where the channel itself is the thread (Discord). */
  readonly root?: string;
}

declare const sessionBrand: unique symbol;
/** `slack:T1:C1:171.5`, `discord:G1:C1`, `web:local:general:k3f9`. */
export type SessionId = string & { readonly [sessionBrand]: true };

/** No colon, slash or space can be in a part, so an id never escapes into a path, a key or another id. */
const PART = /^[A-Za-z0-9._-]{1,64}$/;
const ROOTED: Readonly<Record<Platform, boolean>> = { slack: true, web: true, discord: false };

/** @throws RangeError when a part is empty, too long or has a forbidden character. */
export function sessionIdOf(thread: Thread): SessionId {
  const id = [thread.platform, thread.space, thread.channel, thread.root]
    .filter((part) => part !== undefined)
    .join(":");
  if (parse(id) === undefined) throw new RangeError(`not a thread address: ${JSON.stringify(id)}`);
  return id as SessionId;
}

/** The way back. A SessionId was checked when it was made, so this never fails for one. */
export function threadOf(id: SessionId): Thread {
  const thread = parse(id);
  if (thread === undefined) throw new RangeError(`not a session id: ${JSON.stringify(id)}`);
  return thread;
}

/** For ids that come from outside (a path, a query, a job); undefined when it is none. */
export function toSessionId(text: string): SessionId | undefined {
  return parse(text) === undefined ? undefined : (text as SessionId);
}

/** A space as settings name it, `slack:T1`; undefined where it is none. */
export function toSpace(text: string): Pick<Thread, "platform" | "space"> | undefined {
  const [platform, space, ...rest] = text.split(":");
  if (platform === undefined || !isPlatform(platform) || rest.length > 0) return undefined;
  return space !== undefined && PART.test(space) ? { platform, space } : undefined;
}

function parse(id: string): Thread | undefined {
  const [platform, space, channel, root, ...rest] = id.split(":");
  if (platform === undefined || !isPlatform(platform)) return undefined;
  if (space === undefined || channel === undefined || rest.length > 0) return undefined;
  if (ROOTED[platform] !== (root !== undefined)) return undefined;
  if (![space, channel, root ?? "-"].every((part) => PART.test(part) && part !== "." && part !== "..")) {
    return undefined;
  }
  return root === undefined ? { platform, space, channel } : { platform, space, channel, root };
}

function isPlatform(name: string): name is Platform {
  return Object.hasOwn(ROOTED, name);
}
