/**
 * Pages that are files, before a thread of Slack as a place to post. A file goes in three steps, of which only the last can be
 * seen: Slack names a place, takes the bytes, and shares the file in the thread. Slack does not say which message that made, so the
 * file's own id stands for it; and where the answer to the last step was lost, the file is found again by its name.
 */

import type { Log } from "../../core/ports/log.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { KnownPost, MayBegin, Surface, Voice, Written } from "../../core/ports/surface.ts";
import { withFiles, type FileToSend } from "../../core/reply/file-pages.ts";
import { createTurns } from "../../core/reply/turns.ts";
import { headOf } from "../../core/text.ts";
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
/**
 * What stands for a file's message: its id, and of an image also the name, since an answer has more than one of them and only Slack
 * could say which is which.
 */
const FILE = /^(?<id>F[A-Z0-9]+)(?:\/(?<name>.+))?$/;
const ANSWER = /\.md$/;
const ALT_UNITS = 1_000;

const messageOf = (id: string, name: string): string => (ANSWER.test(name) ? id : `${id}/${name}`);

export function withSlackFiles(
  surface: Surface,
  deps: { readonly api: SlackApi; readonly files: SlackFiles; readonly pacer: Pacer; readonly log: Log },
  session: SessionId,
  { mostPages, voice }: { readonly mostPages: number; readonly voice?: Voice },
): Surface {
  const { api, files } = deps;
  const { space, channel, root } = threadOf(session);
  if (root === undefined) throw new RangeError(`not a thread of Slack: ${session}`);
  const log = deps.log.with({ session });
  /** What Slack has taken and not shared yet, or shared without an answer, by name. */
  const uploaded = new Map<string, string>();
  /** How often the bytes did not arrive, by name. */
  const failures = new Map<string, number>();
  const posts = createFindPost(api, { channel, root });

  function refuse(answer: Exclude<SlackAnswer, { readonly kind: "ok" }>): Written {
    if (answer.kind === "refused" && FOREVER.has(answer.code) && !files.isRefused) {
      files.isRefused = true;
      log.warn("Slack takes no file from the app: long answers come as more messages, images as a word", {
        ...answer,
      });
    }
    return decisionOn(answer);
  }

  function uploadFailed(name: string): Written {
    const tries = (failures.get(name) ?? 0) + 1;
    failures.set(name, tries);
    if (tries < UPLOAD_TRIES) return { kind: "later", afterMs: UPLOAD_AGAIN_MS };
    failures.delete(name);
    log.warn("the bytes of a file do not reach Slack: the answer does without it", { file: name });
    return { kind: "refused", why: "the file could not be uploaded" };
  }

  async function upload({ name, bytes, alt }: FileToSend, mayBegin?: MayBegin): Promise<Written | undefined> {
    if (files.isRefused) return { kind: "refused", why: "Slack takes no file from the app" };
    if (uploaded.has(name)) return undefined;
    const told = alt === undefined ? {} : { alt_txt: headOf(alt, ALT_UNITS) };
    const args = { filename: name, length: bytes.length, ...told };
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
    return undefined;
  }

  async function share({ name, title }: FileToSend, mayBegin?: MayBegin): Promise<Written> {
    const id = uploaded.get(name);
    if (id === undefined) return { kind: "unknown", why: "the file was not uploaded" };
    const args = { files: [{ id, title }], channel_id: channel, thread_ts: root };
    const answer = await api.call("files.completeUploadExternal", args, mayBegin);
    const written: Written =
      answer.kind === "ok" ? { kind: "ok", message: messageOf(id, name) } : refuse(answer);
    // What is shared is good for one message, and what Slack does not know any more has to be brought again. Where it may be
    // shared, or will be later, the same one is meant: another upload would be another file beside it.
    if (written.kind !== "unknown" && written.kind !== "later") uploaded.delete(name);
    return written;
  }

  async function remove(message: string, id: string, mayBegin?: MayBegin): Promise<Written> {
    const answer = await api.call("files.delete", { file: id }, mayBegin);
    if (answer.kind === "ok") return { kind: "ok", message };
    const isGone = answer.kind === "refused" && /^file_(?:not_found|deleted)$/.test(answer.code);
    return isGone ? { kind: "gone", what: "message" } : decisionOn(answer);
  }

  return withFiles(
    surface,
    {
      // Nobody sees anything before the last step, which makes a message of the channel as any post.
      budget: postBudget(space, channel),
      get mostPages() {
        return files.isRefused ? undefined : mostPages;
      },
      prepare: upload,
      post: (_key, file, mayBegin) => share(file, mayBegin),
      async find(name: string, known: KnownPost) {
        const id = await posts.findFile(name, known.since - CLOCKS_APART_MS);
        if (id === undefined) return undefined;
        // Shared with no answer that said so.
        uploaded.delete(name);
        return messageOf(id, name);
      },
      async holds(message, wanted) {
        const file = FILE.exec(message)?.groups;
        if (wanted === undefined || file === undefined) return file !== undefined;
        return (file["name"] ?? "") === (ANSWER.test(wanted) ? "" : wanted);
      },
      remove(message, mayBegin, urgency) {
        const id = FILE.exec(message)?.groups?.["id"];
        return id === undefined ? surface.remove(message, mayBegin, urgency) : remove(message, id, mayBegin);
      },
    },
    createTurns(deps.pacer, session, voice),
  );
}
