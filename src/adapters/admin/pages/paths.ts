/** Addresses of the admin pages. */

import { threadOf, toSessionId, type Platform, type SessionId } from "../../../core/thread.ts";

export function threadPathOf(session: SessionId): string {
  return `/admin/threads/${encodeURIComponent(session)}`;
}

/** Only to a page of ours: what came with a form or a cookie may have been made by anybody. */
export function ownPath(next: unknown): string {
  return typeof next === "string" && /^\/admin\/[A-Za-z0-9%._~/-]*$/.test(next) && !next.includes("//")
    ? next
    : "/admin/";
}

/** The space of the thread that a page is of; undefined for other pages. */
export function spaceOfPath(path: string): string | undefined {
  const [, id] = /^\/admin\/threads\/([^/]+)/.exec(path) ?? [];
  if (id === undefined) return undefined;
  try {
    const session = toSessionId(decodeURIComponent(id));
    return session === undefined ? undefined : threadOf(session).space;
  } catch {
    return undefined;
  }
}

/** Where the platform's own sign-in begins. */
export function wayPathOf(platform: Platform): string {
  return `/admin/with/${platform}`;
}

/** Where it leads back to: that has to stand in the app's settings there, letter by letter. */
export function backUrlOf(publicUrl: string, platform: Platform): string {
  return `${publicUrl.replace(/\/$/, "")}${wayPathOf(platform)}/back`;
}

export const BOARD_PATH = "/admin/queues";

/** Whether a page that stands open asks for it by itself: nobody uses the page by that. */
export function isAskedByPage(path: string): boolean {
  return path.endsWith("/live") || path.startsWith(`${BOARD_PATH}/api/`);
}
