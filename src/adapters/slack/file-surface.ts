/**
 * Pages that are files, before a thread of Slack as a place to post. A file goes in three steps, of which only the last can be
 * seen: Slack names a place, takes the bytes, and shares the file in the thread. Slack does not say which message that made, so the
 * file's own id stands for it; and where the answer to the last step was lost, the file is found again by its name.
 */

import type { Log } from "../../core/ports/log.ts";
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
import type { SlackAnswer, SlackApi } from "./api.ts";
import { postBudget } from "./budgets.ts";
import { createFindPost } from "./find-post.ts";
import { textOf } from "./payload.ts";
import { decisionOn } from "./refusals.ts";
import { CLOCKS_APART_MS } from "./surface.ts";
import { uploadBytes } from "./upload.ts";

/** Shared by all threads of an install: what one of them has learnt holds for the others. */
export interface SlackFiles {
  /** Slack has said that this app may send none here, so nobody else has to try. */
  isRefused: boolean;
}

/** Until somebody gives the app the scope, or more room, and it starts anew. */
const FOREVER: ReadonlySet<string> = new Set([
  "file_uploads_disabled",
  "missing_scope",
  "not_allowed_token_type",
  "storage_limit_reached",
]);
const UPLOAD_AGAIN_MS = 2_000;
/** So often the bytes of a file are brought: where they cannot arrive at all, its words come as messages. */
const UPLOAD_TRIES = 3;
const FILE_ID = /^F[A-Z0-9]+$/;

export function withFiles(
  surface: Surface,
  deps: { readonly api: SlackApi; readonly files: SlackFiles; readonly pacer: Pacer; readonly log: Log },
  session: SessionId,
  mostPages: number,
): Surface {
  const { api, files } = deps;
  const { space, channel, root } = threadOf(session);
  if (root === undefined) throw new RangeError(`not a thread of Slack: ${session}`);
  const log = deps.log.with({ session });
  /** What Slack has taken and not shared yet, or shared without an answer, by name. */
  const uploaded = new Map<string, string>();
  /** How often the bytes did not arrive, by name. */
  const failures = new Map<string, number>();
  const turns = createTurns(deps.pacer, session);
  const posts = createFindPost(api, { channel, root });

  function refuse(answer: Exclude<SlackAnswer, { readonly kind: "ok" }>): Written {
    if (answer.kind === "refused" && FOREVER.has(answer.code) && !files.isRefused) {
      files.isRefused = true;
      log.warn("Slack takes no file from the app: long answers come as more messages", { ...answer });
    }
    return decisionOn(answer);
  }

  function uploadFailed(name: string): Written {
    const tries = (failures.get(name) ?? 0) + 1;
    failures.set(name, tries);
    if (tries < UPLOAD_TRIES) return { kind: "later", afterMs: UPLOAD_AGAIN_MS };
    failures.delete(name);
    log.warn("the bytes of a file do not reach Slack: the answer comes as more messages", { file: name });
    return { kind: "refused", why: "the file could not be uploaded" };
  }

  async function upload({ name, text }: PageFile, mayBegin?: MayBegin): Promise<string | Written> {
    const known = uploaded.get(name);
    if (known !== undefined) return known;
    const bytes = new TextEncoder().encode(text);
    const args = { filename: name, length: bytes.length };
    const place = await api.call("files.getUploadURLExternal", args, mayBegin);
    if (place.kind !== "ok") {
      const decision = refuse(place);
      return decision.kind === "unknown" ? uploadFailed(name) : decision;
    }
    const id = textOf(place.data["file_id"]);
    const url = textOf(place.data["upload_url"]);
    if (id === undefined || url === undefined || !(await uploadBytes(url, bytes))) return uploadFailed(name);
    failures.delete(name);
    uploaded.set(name, id);
    return id;
  }

  async function post(
    file: PageFile,
    mayBegin: MayBegin | undefined,
    urgency: Urgency = "final",
  ): Promise<Written> {
    const id = await upload(file, mayBegin);
    if (typeof id !== "string") return id;
    // Nobody sees anything before this step, which makes a message of the channel as any post.
    const waitMs = await turns.take(postBudget(space, channel), urgency);
    if (waitMs > 0) return { kind: "later", afterMs: waitMs, isTurn: true };
    const args = { files: [{ id, title: file.title }], channel_id: channel, thread_ts: root };
    const answer = await api.call("files.completeUploadExternal", args, mayBegin);
    if (answer.kind === "ok") return { kind: "ok", message: id };
    // What Slack does not know any more has to be brought again.
    if (answer.kind === "refused") uploaded.delete(file.name);
    return refuse(answer);
  }

  async function find(key: string, known?: KnownPost): Promise<string | undefined> {
    const name = known?.page?.file?.name;
    const found = name === undefined ? await surface.find(key, known) : undefined;
    const file = name ?? known?.file;
    if (found !== undefined || known === undefined || file === undefined) return found;
    return posts.findFile(file, known.since - CLOCKS_APART_MS);
  }

  async function remove(id: string, mayBegin?: MayBegin): Promise<Written> {
    const answer = await api.call("files.delete", { file: id }, mayBegin);
    if (answer.kind === "ok") return { kind: "ok", message: id };
    const isGone = answer.kind === "refused" && /^file_(?:not_found|deleted)$/.test(answer.code);
    return isGone ? { kind: "gone", what: "message" } : decisionOn(answer);
  }

  const limits = Object.create(surface.limits, {
    mostPages: { get: () => (files.isRefused ? undefined : mostPages) },
  }) as SurfaceLimits;

  return {
    ...surface,
    limits,
    post: (key, page, mayBegin, urgency) =>
      page.file === undefined
        ? surface.post(key, page, mayBegin, urgency)
        : post(page.file, mayBegin, urgency),
    async edit(message, page, mayBegin, urgency) {
      const isFile = FILE_ID.test(message);
      if (isFile && page.file !== undefined) return { kind: "ok", message };
      if (!isFile && page.file === undefined) return surface.edit(message, page, mayBegin, urgency);
      // An attempt before wanted the other kind of page there.
      const removed = await (isFile ? remove(message, mayBegin) : surface.remove(message, mayBegin, urgency));
      return removed.kind === "ok" ? { kind: "gone", what: "message" } : removed;
    },
    remove: (message, mayBegin, urgency) =>
      FILE_ID.test(message) ? remove(message, mayBegin) : surface.remove(message, mayBegin, urgency),
    find,
    leave() {
      surface.leave?.();
      turns.leave();
    },
  };
}
