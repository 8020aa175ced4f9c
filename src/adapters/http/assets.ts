/** The files that the pages load: read once at start, served from memory, checked for freshness by their hash. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MiddlewareHandler } from "hono";

interface Asset {
  readonly body: string;
  readonly type: string;
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Answers `GET …/:name` with the files of these folders, of which the later count; unknown names are left to whoever comes next. */
export function serveAssets(...folders: readonly string[]): MiddlewareHandler {
  const assets = new Map(
    folders.flatMap((folder) => readdirSync(folder).flatMap((name) => load(folder, name))),
  );

  return async function asset(c, next) {
    const found = assets.get(c.req.param("name") ?? "");
    if (found === undefined) return next();
    c.header("ETag", found.tag);
    // The browser asks each time: a page never runs with scripts of another version.
    c.header("Cache-Control", "no-cache");
    if (c.req.header("if-none-match") === found.tag) return c.body(null, 304);
    return c.body(found.body, 200, { "Content-Type": found.type });
  };
}

function load(folder: string, name: string): (readonly [string, Asset])[] {
  const type = TYPES[name.split(".").at(-1) ?? ""];
  if (type === undefined) return [];
  const body = readFileSync(join(folder, name), "utf8");
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return [[name, { body, type, tag }]];
}
