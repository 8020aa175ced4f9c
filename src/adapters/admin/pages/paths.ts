/** Addresses of the admin pages. */

import { threadOf, toSessionId, type Platform, type SessionId } from "../../../core/thread.ts";

export function threadPathOf(session: SessionId): string {
  return `/admin/threads/${encodeURIComponent(session)}`;
}

/** An address that names an entry leads to its line. */
export function entryPathOf(session: SessionId, epoch: number, seq: number): string {
  return `${threadPathOf(session)}?at=${epoch}-${seq}#e-${epoch}-${seq}`;
}

/**
 * Only to a page of ours: what came with a form or a cookie may have been made by anybody. Where it names an entry, to that line; without
 * its question where that is longer than a cookie should hold.
 */
export function ownPath(next: unknown): string {
  const [whole = ""] = typeof next === "string" && !next.includes("//") ? next.split("#") : [];
  const [, path, query] = /^(\/admin\/[A-Za-z0-9%._~/-]*)(?:\?(.*))?$/.exec(whole) ?? [];
  if (path === undefined) return "/admin/";
  if (query === undefined || !/^[A-Za-z0-9%._~/=&+:-]{1,500}$/.test(query)) return path;
  const [, entry] = /(?:^|&)at=(\d{1,9}-\d{1,15})(?:&|$)/.exec(query) ?? [];
  return `${path}?${query}${entry === undefined ? "" : `#e-${entry}`}`;
}

/** To `next` where that is this page, or one below it. */
export function ownPathWithin(page: string, next: unknown): string {
  const own = ownPath(next);
  return own.startsWith(page) && ["", "/", "?", "#"].includes(own.charAt(page.length)) ? own : page;
}

/** The space of the thread that a page is of; undefined for other pages. */
export function spaceOfPath(path: string): string | undefined {
  const [, id] = /^\/admin\/threads\/([^/?#]+)/.exec(path) ?? [];
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
