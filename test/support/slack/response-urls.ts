// The answer addresses that come with commands and clicks: five uses within half an hour.
import { faultsInBlocks } from "./block-rules.ts";
import type { Complaints } from "./complaints.ts";
import type { EphemeralMessage, JsonObject, StoredMessage } from "./message.ts";
import { objectsIn, stringIn } from "./rendering.ts";
import { storedText } from "./wire-text.ts";
import type { Workspace } from "./workspace.ts";

interface Target {
  readonly channel: string;
  readonly user: string;
  /** What was clicked. */
  readonly source: StoredMessage | EphemeralMessage | undefined;
  uses: number;
  readonly expiresAtMs: number;
}

export interface UrlAnswer {
  readonly status: number;
  readonly body: string;
}

const mostUses = 5;
const lifeMs = 30 * 60_000;

export class ResponseUrls {
  readonly #targets = new Map<string, Target>();
  readonly #workspace: Workspace;
  readonly #complaints: Complaints;
  readonly #author: { readonly user: string; readonly botId: string; readonly appId: string };
  readonly #origin: () => string;
  readonly #nowMs: () => number;

  constructor(
    workspace: Workspace,
    complaints: Complaints,
    author: { readonly user: string; readonly botId: string; readonly appId: string },
    origin: () => string,
    nowMs: () => number,
  ) {
    this.#workspace = workspace;
    this.#complaints = complaints;
    this.#author = author;
    this.#origin = origin;
    this.#nowMs = nowMs;
  }

  create(channel: string, user: string, source?: StoredMessage | EphemeralMessage): string {
    const id = this.#workspace.newId("R");
    this.#targets.set(id, { channel, user, source, uses: 0, expiresAtMs: this.#nowMs() + lifeMs });
    return `${this.#origin()}/response/${id}`;
  }

  has(id: string): boolean {
    return this.#targets.has(id);
  }

  receive(id: string, body: string): UrlAnswer {
    const target = this.#targets.get(id);
    if (!target) return { status: 404, body: "no_response_url" };
    if (++target.uses > mostUses || this.#nowMs() > target.expiresAtMs)
      return { status: 404, body: "used_url" };
    let message: JsonObject;
    try {
      message = JSON.parse(body) as JsonObject;
    } catch {
      return { status: 400, body: "invalid_payload" };
    }
    if (message["blocks"] !== undefined && faultsInBlocks(message["blocks"], "message").length > 0) {
      return { status: 400, body: "invalid_blocks" };
    }
    this.show(target.channel, target.user, message, target.source);
    return { status: 200, body: "ok" };
  }

  /** A command's or click's answer, whichever way it came. */
  show(channelId: string, user: string, answer: JsonObject, source?: StoredMessage | EphemeralMessage): void {
    const blocks = answer["blocks"] === undefined ? undefined : objectsIn(answer["blocks"]);
    const content = { text: storedText(stringIn(answer, "text")), blocks };
    const channel = this.#workspace.channels.get(channelId);
    if (answer["delete_original"] === true && source) {
      if ("isGone" in source) source.isGone = true;
      else this.#workspace.remove(source);
      return;
    }
    this.#complaints.aboutWords("an answer to a click or command", { ...content, attachments: undefined });
    if (answer["replace_original"] === true && source) {
      if ("isGone" in source) Object.assign(source, content);
      else this.#workspace.change(source, content);
    } else if (answer["response_type"] === "in_channel" && channel) {
      this.#workspace.post(channel, { ...this.#author, ...content });
    } else {
      // At channel level, unless a thread is named: a command has no thread.
      const threadTs = stringIn(answer, "thread_ts") || undefined;
      const ts = this.#workspace.nextTs();
      this.#workspace.ephemerals.push({
        channel: channelId,
        ts,
        threadTs,
        to: user,
        ...content,
        isGone: false,
      });
    }
  }
}
