// Bytes of files, and the places that take uploads. Who has no permission gets a login page, and gets it with status 200.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Platform } from "./platform.ts";

const loginPage =
  "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in</body></html>";

export async function serveFile(
  platform: Platform,
  url: URL,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const [, place, ...rest] = url.pathname.split("/");
  if (place === "upload" && request.method === "POST") {
    const isTaken = platform.files.receive(rest[0] ?? "", await uploadedBytes(request, body));
    response.writeHead(isTaken ? 200 : 400).end(isTaken ? `OK - ${body.length}` : "unknown upload");
    return;
  }
  const file = platform.files.find(rest.find((part) => platform.files.find(part) !== undefined) ?? "");
  if (place !== "files-pri" || !file) {
    response.writeHead(404).end("not found");
    return;
  }
  const { app, workspace } = platform;
  const isReachable = [...file.channels].some(
    (channel) => workspace.channels.get(channel)?.members.has(app.botUserId) === true,
  );
  const isAllowed =
    request.headers.authorization === `Bearer ${app.botToken}` && app.scopes.has("files:read") && isReachable;
  if (!isAllowed) {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(loginPage);
    return;
  }
  if (file.options.redirectsTo !== undefined) {
    response.writeHead(302, { location: file.options.redirectsTo }).end();
    return;
  }
  response.writeHead(200, {
    "content-type": file.options.mimetype ?? "text/plain",
    "content-length": file.content.length,
  });
  response.end(file.content);
}

/** The body itself, or the one file in a form. */
async function uploadedBytes(request: IncomingMessage, body: Buffer): Promise<Buffer> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return body;
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  for (const value of form.values()) {
    if (typeof value !== "string") return Buffer.from(await value.arrayBuffer());
  }
  return Buffer.alloc(0);
}
