/**
 * Pages that are files, before a thread of Discord's as a place to post: a message with nothing but the file. Its nonce keeps a second
 * post from doubling the first for some minutes, and later it is found by the name of its file.
 */

import { MessageFlags, Routes, type APIMessage } from "discord-api-types/v10";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { KnownPost, MayBegin, Surface, Voice, Written } from "../../core/ports/surface.ts";
import { withFiles, type FileToSend } from "../../core/reply/file-pages.ts";
import { createTurns } from "../../core/reply/turns.ts";
import { headOf } from "../../core/text.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { decisionOn, isForbidden, unsearched } from "./refusals.ts";
import { newerOf, snowflakeAt } from "./snowflake.ts";
import { REQUESTS } from "./budgets.ts";
import { CLOCKS_APART_MS, NOBODY, nonceOf } from "./surface.ts";

const ALT_UNITS = 1_024;

export function withDiscordFiles(
  surface: Surface,
  { api, pacer }: { readonly api: DiscordApi; readonly pacer: Pacer },
  session: SessionId,
  { mostPages, voice }: { readonly mostPages: number; readonly voice?: Voice },
): Surface {
  const { channel } = threadOf(session);

  async function post(
    key: string,
    { name, bytes, mimeType, alt }: FileToSend,
    mayBegin: MayBegin | undefined,
  ): Promise<Written> {
    const described = alt === undefined ? {} : { description: headOf(alt, ALT_UNITS) };
    const body = {
      attachments: [{ id: 0, filename: name, ...described }],
      flags: MessageFlags.SuppressEmbeds,
      allowed_mentions: NOBODY,
      nonce: nonceOf(session, key),
      enforce_nonce: true,
    };
    // Bytes and never a string: that would be read as the path of a file.
    const files = [{ name, data: Buffer.from(bytes), contentType: mimeType }];
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
    if (answer.kind !== "ok") throw unsearched(answer);
    return (answer.data as readonly APIMessage[]).find((message) => hasFile(message, name))?.id;
  }

  return withFiles(
    surface,
    {
      budget: REQUESTS,
      mostPages,
      post,
      find,
      async holds(message, name, mayBegin) {
        // Words take the place of a file by an edit.
        if (name === undefined) return false;
        const answer = await api.call("GET", Routes.channelMessage(channel, message), { mayBegin });
        return answer.kind === "ok" ? hasFile(answer.data as APIMessage, name) : decisionOn(answer);
      },
      remove: (message, mayBegin, urgency) => surface.remove(message, mayBegin, urgency),
    },
    createTurns(pacer, session, voice),
  );
}

function hasFile({ author, attachments }: APIMessage, name: string): boolean {
  return author.bot === true && attachments.some(({ filename }) => filename === name);
}
