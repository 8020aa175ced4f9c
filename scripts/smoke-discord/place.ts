/** The channel in which the smoke test writes: at Discord's pace, and with everything taken away again at the end. */

import { setTimeout as sleep } from "node:timers/promises";
import type { DiscordAnswer, DiscordApi } from "../../src/adapters/discord/api.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface Place {
  readonly channel: string;
  /** Waits where Discord says later. */
  call(...args: Parameters<DiscordApi["call"]>): Promise<DiscordAnswer>;
  /** Pings nobody; remembered for the end. `where`: another channel than the place's. */
  post(body: Fields, where?: string): Promise<DiscordAnswer>;
  /** A thread below a message; remembered for the end. */
  startThread(message: string, name: string): Promise<DiscordAnswer>;
  /** @returns how many messages and threads could not be taken away. */
  clear(): Promise<number>;
}

const LONGEST_WAIT_MS = 90_000;
const TRIES = 5;
/** Unknown Message and Unknown Channel: taken away already. */
const GONE: ReadonlySet<number> = new Set([10_008, 10_003]);
const NOBODY = { parse: [] };

export function createPlace(api: DiscordApi, channel: string): Place {
  /** Threads before the messages that they hang below. */
  const left: `/${string}`[] = [];

  async function call(...args: Parameters<DiscordApi["call"]>): Promise<DiscordAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await api.call(...args);
      const isLater = answer.kind === "rate_limited" && answer.afterMs <= LONGEST_WAIT_MS;
      if (!isLater || tries === TRIES) return answer;
      await sleep(answer.afterMs);
    }
  }

  return {
    channel,
    call,
    async post(body, where = channel) {
      const answer = await call("POST", `/channels/${where}/messages`, {
        body: { allowed_mentions: NOBODY, ...body },
      });
      const id = idOf(answer);
      if (id !== undefined) left.push(`/channels/${where}/messages/${id}`);
      return answer;
    },
    async startThread(message, name) {
      const answer = await call("POST", `/channels/${channel}/messages/${message}/threads`, {
        body: { name },
      });
      const id = idOf(answer);
      if (id !== undefined) left.push(`/channels/${id}`);
      return answer;
    },
    async clear() {
      let stay = 0;
      const gone = new Set<string>();
      for (const route of left.splice(0).toReversed()) {
        // What stood in a thread that is gone went with it.
        if ([...gone].some((thread) => route.startsWith(`${thread}/`))) continue;
        const answer = await call("DELETE", route);
        const isGone = answer.kind === "ok" || (answer.kind === "refused" && GONE.has(answer.code));
        if (isGone) gone.add(route);
        // Without Manage Threads a thread stays, empty, where its messages could be taken away.
        else stay++;
      }
      return stay;
    },
  };
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function dataOf(answer: DiscordAnswer): unknown {
  return answer.kind === "ok" ? answer.data : undefined;
}

export function idOf(answer: DiscordAnswer): string | undefined {
  const { id } = fieldsOf(dataOf(answer));
  return typeof id === "string" ? id : undefined;
}

/** In a few words, for the report. */
export function outcomeOf(answer: DiscordAnswer): string {
  switch (answer.kind) {
    case "ok":
      return "taken";
    case "token_refused":
      return "401 (the token)";
    case "refused":
      return `${answer.code === 0 ? answer.status : answer.code} (${answer.detail})`;
    case "rate_limited":
      return `429 for ${Math.ceil(answer.afterMs / 1_000)} s`;
    case "http":
      return `status ${answer.status}`;
    case "unknown":
    case "unreachable":
      return `no answer (${answer.why})`;
    default:
      return answer satisfies never;
  }
}

/** Whether it was refused with this code; undefined where it was neither taken nor refused. */
export function isRefusedWith(answer: DiscordAnswer, code: number): boolean | undefined {
  if (answer.kind === "ok") return false;
  return answer.kind === "refused" ? answer.code === code : undefined;
}
