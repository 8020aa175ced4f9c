/** What reviewers say of a thread: flags, which somebody has to look after, and notes. */

import type { SessionId } from "../thread.ts";
import type { Person } from "./sign-ins.ts";

export const REMARK_KINDS = ["wrong", "harmful", "private", "good", "note"] as const;

/** All but `note` are flags: open until somebody resolves them. */
export type RemarkKind = (typeof REMARK_KINDS)[number];

export interface Remark {
  readonly id: string;
  /** The entry that it is about. */
  readonly about?: { readonly epoch: number; readonly seq: number };
  readonly kind: RemarkKind;
  readonly text: string;
  readonly name: string;
  readonly at: number;
  readonly assigneeName?: string;
  readonly resolvedAt?: number;
  readonly resolvedName?: string;
}

export interface Remarks {
  add(
    session: SessionId,
    remark: Pick<Remark, "id" | "kind" | "text" | "about">,
    who: Pick<Person, "person" | "name">,
  ): Promise<void>;
  /** In the order in which they were made. */
  list(session: SessionId): Promise<readonly Remark[]>;
  /** False where there is no open flag with this id in the thread. */
  assign(session: SessionId, id: string, who: Pick<Person, "person" | "name">): Promise<boolean>;
  resolve(session: SessionId, id: string, who: Pick<Person, "person" | "name">): Promise<boolean>;
  /** Why somebody opens a thread that is another person's own; for as long as this browser stays in. */
  giveReason(browser: string, session: SessionId, reason: string): Promise<void>;
  /** Which threads it has given one for. */
  reasonsOf(browser: string): Promise<ReadonlySet<SessionId>>;
  hasReason(browser: string, session: SessionId): Promise<boolean>;
}
