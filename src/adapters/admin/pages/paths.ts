/** Addresses of the admin pages. */

import type { SessionId } from "../../../core/thread.ts";

export function threadPathOf(session: SessionId): string {
  return `/admin/threads/${encodeURIComponent(session)}`;
}
