// Socket mode: the connections that the app has opened, what is sent over them, and how they fall silent or go away.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import type { AppIdentity } from "./app-identity.ts";
import type { Attempt, AttemptResult, Payload, Transport } from "./delivery.ts";

const envelopeType = { event: "events_api", interactive: "interactive", command: "slash_commands" } as const;
const mostConnections = 10;

export interface SocketOptions {
  /** How long Slack waits for an acknowledgement. Default 3000. */
  readonly ackTimeoutMs?: number;
  /** Default 10 000. */
  readonly pingEveryMs?: number;
}

/** One open connection of the app, as the platform sees it. */
export interface Connection {
  readonly number: number;
  readonly isOpen: boolean;
  /** Ids of the events that went over it. */
  readonly eventIds: readonly string[];
  /** Stays open and goes silent: no ping, no pong, no payload. */
  freeze(): void;
  thaw(): void;
  /** Asks the app to leave, as Slack does every few hours. */
  disconnect(reason: "warning" | "refresh_requested" | "too_many_websockets" | "link_disabled"): void;
  /** Cuts the wire. */
  drop(): void;
}

interface Live extends Connection {
  readonly socket: WebSocket;
  readonly eventIds: string[];
  isFrozen: boolean;
}

export class SocketMode implements Transport {
  /** All that were ever opened. */
  readonly connections: readonly Connection[];
  readonly #connections: Live[] = [];
  readonly #app: AppIdentity;
  readonly #options: SocketOptions;
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #tickets = new Set<string>();
  readonly #pending = new Map<string, { from: Live; settle: (result: AttemptResult) => void }>();
  readonly #chosen: Connection[] = [];
  #turn = 0;

  constructor(app: AppIdentity, options: SocketOptions = {}) {
    this.#app = app;
    this.#options = options;
    this.connections = this.#connections;
  }

  /** The path and query of a new connection's address. */
  newTicket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return `/link/?ticket=${ticket}&app_id=${this.#app.appId}`;
  }

  get open(): readonly Connection[] {
    return this.#connections.filter(({ isOpen }) => isOpen);
  }

  /** The next payload goes over this connection; once for each call. */
  choose(connection: Connection): void {
    this.#chosen.push(connection);
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "http://local").searchParams.get("ticket") ?? "";
    if (!this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connected) => this.#welcome(connected));
  }

  async attempt(payload: Payload, attempt: Attempt, everywhere: "one" | "every"): Promise<AttemptResult> {
    const open = this.#connections.filter(({ isOpen }) => isOpen);
    if (everywhere === "every" && open.length > 0) {
      const results = await Promise.all(open.map((one) => this.#over(one, payload, attempt)));
      return results.find(({ kind }) => kind === "acknowledged") ?? results[0]!;
    }
    const chosen = this.#chosen.shift();
    const live = open.find((one) => one === chosen) ?? open[this.#turn++ % Math.max(open.length, 1)];
    if (!live) return { kind: "failed", reason: "no_connection" };
    return this.#over(live, payload, attempt);
  }

  async close(): Promise<void> {
    for (const { socket } of this.#connections) socket.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #welcome(socket: WebSocket): void {
    const send = (message: object): void => socket.send(JSON.stringify(message));
    const debugInfo = { host: `applink-${this.#connections.length + 1}` };
    const live: Live = {
      number: this.#connections.length + 1,
      socket,
      eventIds: [],
      isFrozen: false,
      get isOpen() {
        return socket.readyState === socket.OPEN;
      },
      freeze: () => void (live.isFrozen = true),
      thaw: () => void (live.isFrozen = false),
      disconnect: (reason) => send({ type: "disconnect", reason, debug_info: debugInfo }),
      drop: () => socket.terminate(),
    };
    this.#connections.push(live);
    const pings = setInterval(() => {
      if (!live.isFrozen && live.isOpen) socket.ping(`Ping from ${debugInfo.host}`);
    }, this.#options.pingEveryMs ?? 10_000);
    socket.on("ping", (data) => {
      if (!live.isFrozen) socket.pong(data);
    });
    socket.on("message", (data) => this.#receive(live, data));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clearInterval(pings);
      for (const [, { from, settle }] of this.#pending) {
        if (from === live) settle({ kind: "failed", reason: "connection_failed" });
      }
    });
    send({
      type: "hello",
      num_connections: this.open.length,
      debug_info: { ...debugInfo, approximate_connection_time: 18_060 },
      connection_info: { app_id: this.#app.appId },
    });
    if (this.open.length > mostConnections) live.disconnect("too_many_websockets");
  }

  #receive(from: Live, data: RawData): void {
    if (from.isFrozen) return;
    const text = Buffer.isBuffer(data) ? data.toString("utf8") : "";
    const message = JSON.parse(text) as { envelope_id?: unknown; payload?: unknown };
    const id = typeof message.envelope_id === "string" ? message.envelope_id : "";
    this.#pending.get(id)?.settle({ kind: "acknowledged", answer: message.payload });
  }

  #over(live: Live, payload: Payload, attempt: Attempt): Promise<AttemptResult> {
    const envelopeId = randomUUID();
    const eventId = payload.body["event_id"];
    if (typeof eventId === "string" && !live.isFrozen) live.eventIds.push(eventId);
    return new Promise((resolve) => {
      const settle = (result: AttemptResult): void => {
        clearTimeout(timer);
        this.#pending.delete(envelopeId);
        resolve(result);
      };
      const timeout: AttemptResult = { kind: "failed", reason: "timeout" };
      const timer = setTimeout(() => settle(timeout), this.#options.ackTimeoutMs ?? 3000);
      this.#pending.set(envelopeId, { from: live, settle });
      if (live.isFrozen) return;
      const envelope = {
        envelope_id: envelopeId,
        type: envelopeType[payload.kind],
        payload: payload.body,
        accepts_response_payload: payload.kind !== "event",
        ...(payload.kind === "event"
          ? { retry_attempt: attempt.retry, retry_reason: attempt.reason ?? "" }
          : {}),
      };
      live.socket.send(JSON.stringify(envelope));
    });
  }
}
