/** A place where we can post, edit and delete, with its limits. Bound to one thread. */

import type { Picture } from "../part.ts";
import type { Urgency } from "./pacer.ts";

/** `stop` to `bad` are about a run, the others about a goal; what each asks for stands in `core/command/button`. */
export type ButtonAction =
  | "stop"
  | "retry"
  | "details"
  | "good"
  | "bad"
  | "start"
  | "pause"
  | "resume"
  | "raise"
  | "edit"
  | "clear";

export interface Button {
  readonly action: ButtonAction;
  readonly label: string;
  /** Comes back with the click. */
  readonly value: string;
  /** `primary`: what most people want next; `danger`: it takes something away. Absent for the others. */
  readonly style?: "primary" | "danger";
  /** Asked before it counts, in one sentence. */
  readonly confirm?: string;
}

export interface PageFile {
  /** The same for the same reply, in every attempt: by it the file is found again. Letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** What people see of it where the platform has titles. */
  readonly title: string;
  /** Markdown; of an image what it shows, in words, perhaps none. */
  readonly text: string;
  readonly picture?: Picture;
  /** The bytes of the picture; undefined where they are not kept any more. Rejects where that cannot be known now. */
  bytes?(): Promise<Uint8Array | undefined>;
}

/** A step that was taken, or several that are told as one. */
export interface PageStep {
  /** Of one page; the same in all its versions. */
  readonly id: string;
  readonly line: string;
  readonly state: "running" | "done" | "failed";
}

/** One platform message, still free of any platform. */
export interface PageContent {
  /** CommonMark with GFM tables; healed and within `limits`; may be empty beside a status. */
  readonly markdown: string;
  /** What `markdown` was healed from, where the surface asks for it and more may come at its end. */
  readonly unhealed?: string;
  /** One line on what goes on ("thinking", "using clock"); absent when settled. */
  readonly status?: string;
  /** The steps that were taken, where people want to see them; above status and footer. */
  readonly steps?: readonly PageStep[];
  /** One line below a settled reply: why it ended, time, tokens, cost. */
  readonly footer?: string;
  /** It ended in a way that nobody wanted: worth a warning's colour where the platform has one. */
  readonly isTrouble?: true;
  /** A page that is a file has no words and no buttons beside it, and never changes. */
  readonly file?: PageFile;
  /** It stands for the thread's goal and is edited in place: a chat of ours keeps it in view. */
  readonly isCard?: true;
  readonly buttons: readonly Button[];
}

export interface SurfaceLimits {
  /** The largest page, in units of `measure`. */
  readonly pageSize: number;
  /** The size of a text as the platform counts it, after its own escapes. */
  measure(markdown: string): number;
  /**
   * So many pages one answer may fill, 1 or more; all of a longer one comes as a file below them. Absent where no file can be
   * sent: then there are as many pages as it takes.
   */
  readonly mostPages?: number | undefined;
  /** So much of a page's footer is shown, in UTF-16 units. Absent where all of it is. */
  readonly footerSize?: number;
  /** Least time between two progress writes of a short page, ms. How much all threads together may write is not said here. */
  readonly editEveryMs: number;
}

/** A decision, not an error code: what the writer has to do next. */
export type Written =
  | { readonly kind: "ok"; readonly message: string }
  /**
   * The message, or the thread's root, is not there any more. `frozen`: the platform lets nobody edit the message any more, and it was
   * taken away to make room for another.
   */
  | { readonly kind: "gone"; readonly what: "message" | "thread" | "frozen" }
  /**
   * Not now: try again after `afterMs`. `isTurn`: the platform was not asked, and what is more urgent may come in sooner.
   * `isBarred`: the platform does not take the token of this process, so nobody is served here until it is given another one.
   */
  | { readonly kind: "later"; readonly afterMs: number; readonly isTurn?: true; readonly isBarred?: true }
  | { readonly kind: "too_long" }
  /** Never this content, or never here. */
  | { readonly kind: "refused"; readonly why: string }
  /** The response was lost or never came: it may or may not have landed. */
  | { readonly kind: "unknown"; readonly why: string };

/** Where the platform does not take the token: it is tried again every two seconds. */
export const BARRED = { kind: "later", afterMs: 2_000, isBarred: true } as const satisfies Written;

/**
 * Who writes in a thread. Each waits for a turn of its own: what one of them writes takes nobody else's, and the next in line is asked by
 * what it still has to say.
 */
export type Voice = "reply" | "card" | "notice";

/**
 * What the bot does in the thread, for the sign that the platform itself has for it. `starting`: it works, and no sign of that
 * stands there yet; a surface may wait a moment whether there is still work to be told of. `left`: this attempt says no
 * more, and the sign stays as it is, since another one goes on.
 */
export type Presence = "starting" | "working" | "waiting" | "idle" | "left";

/**
 * A surface that waits before it writes (for its turn, for a connection) asks this in the last moment before it sends. When it says
 * no, nothing is sent, and the answer is `later`.
 */
export type MayBegin = () => boolean;

/** What is known of a post besides its key, for a platform on which not every message keeps that. */
export interface KnownPost {
  /** What it would say if it was made now; absent where it is not wanted any more. */
  readonly page?: PageContent;
  /** Where that is absent: it may have been a file of this name, and only as that it is looked for. */
  readonly file?: string;
  /** It was not made before that, ms since 1970. */
  readonly since: number;
  /** It stands below this message. */
  readonly below?: string;
}

/** None of these throws, `find` excepted. A write is a final one unless its urgency is given. */
export interface Surface {
  readonly limits: SurfaceLimits;
  /** It adds to what stands there where it can: pages that grow say what they were healed from. */
  readonly addsTo?: true;
  /** `key` travels with the message, so that `find` knows it again; where the platform can, a second post with a key is the first. */
  post(key: string, page: PageContent, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written>;
  /** A page with a file stands as it was posted: to edit it does nothing. */
  edit(message: string, page: PageContent, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written>;
  remove(message: string, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written>;
  /** A write that was told to wait for its turn is not wanted any more. Absent where nobody waits. */
  leave?(): void;
  /**
   * The message that was posted with this key and still stands, if any: asked before a post is repeated. Rejects when that
   * cannot be known now and a second post would double the first, with `platform_refused` where the platform does not take the token.
   */
  find(key: string, known?: KnownPost): Promise<string | undefined>;
  /**
   * Absent where the platform has no such sign. Never waits: the newest presence wins, and a failure is nobody's concern.
   * @param title of the thread, for a platform that lists them by one; it takes the first it is told.
   */
  show?(presence: Presence, title?: string): void;
  /**
   * The thread is called so from now on, where its place shows a name that is ours to give. Never rejects.
   * @returns false where the thread is not there yet.
   */
  rename?(title: string): Promise<boolean>;
}
