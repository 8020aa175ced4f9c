/** What people did on the admin pages: written down once, never changed, never taken away. */

import type { SessionId } from "../thread.ts";
import type { Person } from "./sign-ins.ts";

export type AuditKind =
  | "sign_in"
  | "sign_in_refused"
  | "sign_out"
  | "revoke"
  | "browsers"
  | "view"
  | "view_request"
  | "list"
  | "search"
  | "reason"
  | "flag"
  | "review"
  | "note"
  | "export"
  | "export_end"
  | "erase"
  | "erasures"
  | "hold"
  | "lift"
  /** By itself, for what is older than the configuration keeps. */
  | "forget"
  | "usage"
  | "operations"
  | "retry"
  | "audit"
  | "refused";

export interface AuditLine {
  readonly who: Person;
  readonly kind: AuditKind;
  readonly session?: SessionId;
  /** What exactly: the words of a search, the path that was refused, the reason that was given. */
  readonly about?: string;
}

export interface AuditedLine extends AuditLine {
  readonly n: number;
  readonly at: number;
}

export interface Audit {
  /** Durable when it resolves: what could not be written down is not shown. */
  write(line: AuditLine): Promise<void>;
  /** Of one space, the newest first. @param before only those with a smaller number. */
  list(
    space: Pick<Person, "platform" | "space">,
    options: { readonly before?: number; readonly limit: number; readonly session?: SessionId },
  ): Promise<readonly AuditedLine[]>;
}
