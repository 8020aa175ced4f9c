/** The least that a server for Slack's events does: the body, its signature, and the fields that are needed. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What is read of a mention. */
export interface BareEvent {
  readonly id: string;
  readonly channel: string;
  readonly root: string;
  /** One thread is one session. */
  readonly session: string;
  readonly text: string;
}

interface Envelope {
  readonly event_id: string;
  readonly event: {
    readonly type: string;
    readonly channel: string;
    readonly ts: string;
    readonly thread_ts?: string;
    readonly text: string;
  };
}

/** Answers 200 when the event was taken; what is no mention is taken without being looked at. */
export async function serveEvents(
  secret: string,
  take: (event: BareEvent) => Promise<void>,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    answer(request, secret, take).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function answer(
  request: IncomingMessage,
  secret: string,
  take: (event: BareEvent) => Promise<void>,
): Promise<number> {
  const body = await bodyOf(request);
  const timestamp = String(request.headers["x-slack-request-timestamp"]);
  const ours = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  const theirs = Buffer.from(String(request.headers["x-slack-signature"]));
  if (theirs.length !== ours.length || !timingSafeEqual(theirs, Buffer.from(ours))) return 401;
  const { event_id: id, event } = JSON.parse(body.toString()) as Envelope;
  if (event.type !== "app_mention") return 200;
  const root = event.thread_ts ?? event.ts;
  await take({ id, channel: event.channel, root, session: `${event.channel}/${root}`, text: event.text });
  return 200;
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.once("end", () => resolve(Buffer.concat(pieces)));
    request.once("error", reject);
  });
}
