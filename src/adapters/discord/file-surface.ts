/**
 * Pages that are files, before a thread of Discord's as a place to post: a message with nothing but the file. Its nonce keeps a second
 * post from doubling the first for some minutes, and later it is found by the name of its file.
 */

import { MessageFlags, Routes, type APIMessage } from "discord-api-types/v10";
import type { Pacer, Urgency } from "../../core/ports/pacer.ts";
import type {
  KnownPost,
  MayBegin,
  PageFile,
  Surface,
  SurfaceLimits,
  Written,
} from "../../core/ports/surface.ts";
import { createTurns } from "../../core/reply/turns.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { decisionOn, isForbidden } from "./refusals.ts";
import { newerOf, snowflakeAt } from "./snowflake.ts";
import { CLOCKS_APART_MS, NOBODY, nonceOf, REQUESTS } from "./surface.ts";

export function withFiles(
  surface: Surface,
  { api, pacer }: { readonly api: DiscordApi; readonly pacer: Pacer },
  session: SessionId,
  mostPages: number,
): Surface {
  const { channel } = threadOf(session);
  const turns = createTurns(pacer, session);

  async function post(
    key: string,
    { name, text }: PageFile,
    mayBegin: MayBegin | undefined,
    urgency: Urgency = "final",
  ): Promise<Written> {
    const waitMs = await turns.take(REQUESTS, urgency);
    if (waitMs > 0) return { kind: "later", afterMs: waitMs, isTurn: true };
    const body = {
      flags: MessageFlags.SuppressEmbeds,
      allowed_mentions: NOBODY,
      nonce: nonceOf(session, key),
      enforce_nonce: true,
    };
    const files = [{ name, data: Buffer.from(text), contentType: "text/markdown; charset=utf-8" }];
    const answer = await api.call("POST", Routes.channelMessages(channel), { body, files, mayBegin });
    if (answer.kind === "ok") return { kind: "ok", message: (answer.data as APIMessage).id };
    // The pages above it could be written, so that it is files that are not allowed.
    if (isForbidden(answer)) return { kind: "refused", why: "files may not be sent here" };
    return decisionOn(answer);
  }

  async function find(name: string, { since, below }: KnownPost): Promise<string | undefined> {
    const after = newerOf(snowflakeAt(since - CLOCKS_APART_MS), below);
    const answer = await api.call("GET", Routes.channelMessages(channel), { query: { limit: "100", after } });
    if (answer.kind === "refused") return undefined;
    if (answer.kind !== "ok") throw new Error(`the thread could not be searched: ${answer.kind}`);
    return (answer.data as readonly APIMessage[]).find((message) => hasFile(message, name))?.id;
  }

  async function edit(message: string, { name }: PageFile, mayBegin?: MayBegin): Promise<Written> {
    const answer = await api.call("GET", Routes.channelMessage(channel, message), { mayBegin });
    if (answer.kind !== "ok") return decisionOn(answer);
    if (hasFile(answer.data as APIMessage, name)) return { kind: "ok", message };
    // An attempt before wanted words there.
    const removed = await surface.remove(message, mayBegin);
    return removed.kind === "ok" ? { kind: "gone", what: "message" } : removed;
  }

  const limits = Object.create(surface.limits, { mostPages: { value: mostPages } }) as SurfaceLimits;

  return {
    ...surface,
    limits,
    post: (key, page, mayBegin, urgency) =>
      page.file === undefined
        ? surface.post(key, page, mayBegin, urgency)
        : post(key, page.file, mayBegin, urgency),
    edit: (message, page, mayBegin, urgency) =>
      page.file === undefined
        ? surface.edit(message, page, mayBegin, urgency)
        : edit(message, page.file, mayBegin),
    leave() {
      surface.leave?.();
      turns.leave();
    },
    async find(key, known) {
      const name = known?.page?.file?.name;
      const found = name === undefined ? await surface.find(key, known) : undefined;
      const file = name ?? known?.file;
      if (found !== undefined || known === undefined || file === undefined) return found;
      return find(file, known);
    },
  };
}

function hasFile({ author, attachments }: APIMessage, name: string): boolean {
  return author.bot === true && attachments.some(({ filename }) => filename === name);
}
