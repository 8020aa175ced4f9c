// What answers at which address of the local Slack.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveFile } from "./file-server.ts";
import { AUTHORIZE_PATH, type OpenId } from "./openid.ts";
import type { Teams } from "./teams.ts";
import type { WebApi } from "./web-api.ts";

export async function serve(
  { teams, api, openId }: { readonly teams: Teams; readonly api: WebApi; readonly openId: OpenId },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [first] = teams.all;
  if (first === undefined) throw new Error("there is no workspace");
  const url = new URL(request.url ?? "/", first.origin);
  const body = await bytesOf(request);
  const [, place = "", name = ""] = url.pathname.split("/");
  if (place === "api") return api.serve(name, url, request, body, response);
  if (url.pathname === AUTHORIZE_PATH) {
    const { status, body: page } = openId.page(url.href);
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page);
    return undefined;
  }
  if (place === "response" && request.method === "POST") {
    const owner = teams.all.find(({ responseUrls }) => responseUrls.has(name)) ?? first;
    const answer = owner.responseUrls.receive(name, body.toString("utf8"));
    response.writeHead(answer.status, { "content-type": "text/plain" }).end(answer.body);
    return undefined;
  }
  return serveFile(first, url, request, body, response);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
}

export async function listen(port: number): Promise<{ server: Server; origin: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
