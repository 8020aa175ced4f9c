// Discord's gateway: sockets that identify, beat and resume, sessions that outlive their socket, and what goes wrong with them.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Complaints } from "./complaints.ts";
import { CHANNEL_TYPES, type Channel, type JsonObject, type Profile } from "./model.ts";
import type { DiscordState } from "./state.ts";
import { guildJson, userJson } from "./wire.ts";

export interface GatewayOptions {
  /** How often the client has to beat, ms. Default 41,250. */
  readonly heartbeatMs?: number;
  /** Of the last 24 hours. Default 1,000 of 1,000, one at a time and in five seconds. */
  readonly identifies?: {
    readonly remaining?: number;
    readonly total?: number;
    readonly atOnce?: number;
    readonly apartMs?: number;
  };
  /** How many shards Discord recommends. Default 1. */
  readonly shards?: number;
}

export interface DispatchEvent {
  readonly t: string;
  /** Where it happens; decides who hears it. Absent for what concerns the bot alone. */
  readonly channel?: Channel;
  readonly guild?: string;
  /** Who may read what others say gets another payload than who may not. */
  d(view: { readonly hasContent: boolean }): JsonObject;
}

export const INTENTS = {
  guilds: 1,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  messageContent: 1 << 15,
};
const ALL_INTENTS = (1 << 26) - 1;
/** Close codes after which a session cannot go on. */
const ENDS_SESSION: ReadonlySet<number> = new Set([1000, 1001]);
const REMEMBERED = 5_000;
const MOST_PAYLOAD = 4_096;
const MOST_SENDS = 120;

interface Session {
  readonly id: string;
  readonly shard: readonly [id: number, count: number];
  readonly intents: number;
  seq: number;
  readonly sent: { readonly seq: number; readonly text: string }[];
  socket: WebSocket | undefined;
  isOver: boolean;
}

export interface IdentifyRecord {
  readonly atMs: number;
  readonly intents: number;
  readonly shard: readonly [id: number, count: number];
}

type Verdict = "deliver" | "lose" | "twice";

export class Gateway {
  readonly identifies: IdentifyRecord[] = [];
  resumes = 0;
  /** Whether beats are answered. */
  isAlive = true;
  /** Whether new connections are taken. */
  isOpen = true;
  /** Of the portal: without it the intent is refused. */
  mayReadContent = true;
  token: string;
  remaining: number;
  readonly total: number;
  readonly atOnce: number;
  readonly shards: number;
  readonly #apartMs: number;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #state: DiscordState;
  readonly #bot: Profile;
  readonly #applicationId: string;
  readonly #complaints: Complaints;
  readonly #url: () => string;
  readonly #heartbeatMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: (() => void)[] | undefined;
  #judge: ((event: DispatchEvent) => Verdict) | undefined;

  constructor(
    world: {
      readonly state: DiscordState;
      readonly bot: Profile;
      readonly applicationId: string;
      readonly token: string;
      readonly complaints: Complaints;
      readonly url: () => string;
    },
    options: GatewayOptions,
  ) {
    this.#state = world.state;
    this.#bot = world.bot;
    this.#applicationId = world.applicationId;
    this.#complaints = world.complaints;
    this.#url = world.url;
    this.token = world.token;
    this.#heartbeatMs = options.heartbeatMs ?? 41_250;
    this.total = options.identifies?.total ?? 1_000;
    this.remaining = options.identifies?.remaining ?? this.total;
    this.#apartMs = options.identifies?.apartMs ?? 5_000;
    this.atOnce = options.identifies?.atOnce ?? 1;
    this.shards = options.shards ?? 1;
  }

  /** Sessions with an open socket. */
  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined).length;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.isOpen) {
      socket.destroy();
      return;
    }
    const { searchParams } = new URL(request.url ?? "/", "http://gateway");
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      if (searchParams.get("v") !== "10") ws.close(4012, "Invalid API version.");
      else if (searchParams.get("encoding") !== "json") ws.close(4002, "Decode error.");
      else this.#greet(ws);
    });
  }

  dispatch(event: DispatchEvent): void {
    if (this.#held !== undefined) {
      this.#held.push(() => this.#spread(event));
      return;
    }
    this.#spread(event);
  }

  /** Keeps events back until they are released, in the order that is wanted. */
  hold(): void {
    this.#held ??= [];
  }

  release(order: (held: readonly (() => void)[]) => readonly (() => void)[] = (held) => held): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of order(held)) deliver();
  }

  /** Discord promises each event never, once or several times. */
  judge(verdict: ((event: DispatchEvent) => Verdict) | undefined): void {
    this.#judge = verdict;
  }

  /** Closes every socket with this code; `terminate` lets the network break. */
  cut(code: number | "terminate"): void {
    for (const session of this.#sessions.values()) {
      const { socket } = session;
      if (socket === undefined) continue;
      if (code === "terminate") socket.terminate();
      else {
        if (ENDS_SESSION.has(code)) session.isOver = true;
        socket.close(code);
      }
    }
  }

  /** Asks every client to come again (op 7). */
  askToReconnect(): void {
    for (const { socket } of this.#sessions.values()) if (socket) say(socket, { op: 7, d: null });
  }

  /** Tells every client that its session is no longer good (op 9). */
  invalidate(options: { readonly mayResume: boolean }): void {
    for (const session of this.#sessions.values()) {
      if (!options.mayResume) session.isOver = true;
      if (session.socket) say(session.socket, { op: 9, d: options.mayResume });
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const client of this.#server.clients) client.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #greet(ws: WebSocket): void {
    let session: Session | undefined;
    let sends = 0;
    let windowEndsMs = 0;
    let silence: NodeJS.Timeout | undefined;
    const listen = (): void => {
      if (silence) this.#forget(silence);
      silence = this.#later(this.#heartbeatMs * 2.5, () => ws.close(4009, "Session timed out."));
    };
    ws.on("error", () => ws.terminate());
    ws.on("close", (code: number) => {
      if (silence) this.#forget(silence);
      if (session?.socket === ws) session.socket = undefined;
      if (session && ENDS_SESSION.has(code)) session.isOver = true;
    });
    ws.on("message", (data: Buffer) => {
      const now = performance.now();
      if (now > windowEndsMs) [windowEndsMs, sends] = [now + 60_000, 0];
      if (++sends > MOST_SENDS) return ws.close(4008, "Rate limited.");
      if (data.length > MOST_PAYLOAD) return ws.close(4002, "Decode error.");
      const payload = readPayload(data);
      if (payload === undefined) return ws.close(4002, "Decode error.");
      switch (payload.op) {
        case 1:
          listen();
          if (this.isAlive) say(ws, { op: 11 });
          return;
        case 2:
          if (session !== undefined) return ws.close(4005, "Already authenticated.");
          session = this.#identify(ws, payload.d);
          return;
        case 6:
          if (session !== undefined) return ws.close(4005, "Already authenticated.");
          session = this.#resume(ws, payload.d);
          return;
        case 3:
        case 4:
        case 8:
          if (session === undefined) ws.close(4003, "Not authenticated.");
          return;
        default:
          ws.close(4001, "Unknown opcode.");
      }
    });
    say(ws, { op: 10, s: null, t: null, d: { heartbeat_interval: this.#heartbeatMs } });
    listen();
  }

  #identify(ws: WebSocket, d: JsonObject): Session | undefined {
    const intents = typeof d["intents"] === "number" ? d["intents"] : -1;
    const [id, count] = Array.isArray(d["shard"]) ? (d["shard"] as [number, number]) : [0, 1];
    const record: IdentifyRecord = { atMs: performance.now(), intents, shard: [id, count] };
    const recent = this.identifies.filter(
      ({ atMs, shard }) => atMs > record.atMs - this.#apartMs && shard[0] % this.atOnce === id % this.atOnce,
    );
    this.identifies.push(record);
    this.remaining--;
    if (this.remaining < 0) {
      this.#complaints.add("identify", "more identifies than are left: the token is reset");
      this.token = "reset by Discord";
    }
    if (d["token"] !== this.token) {
      ws.close(4004, "Authentication failed.");
      return undefined;
    }
    if (!(id >= 0 && id < count)) {
      ws.close(4010, "Invalid shard.");
      return undefined;
    }
    if (intents < 0 || intents > ALL_INTENTS) {
      ws.close(4013, "Invalid intent(s).");
      return undefined;
    }
    if ((intents & INTENTS.messageContent) !== 0 && !this.mayReadContent) {
      ws.close(4014, "Disallowed intent(s).");
      return undefined;
    }
    if (recent.length > 0) {
      say(ws, { op: 9, d: false });
      return undefined;
    }
    const session: Session = {
      id: crypto.randomUUID().replaceAll("-", ""),
      shard: [id, count],
      intents,
      seq: 0,
      sent: [],
      socket: ws,
      isOver: false,
    };
    this.#sessions.set(session.id, session);
    const guilds = this.#state.presentGuilds().filter((guild) => isOnShard(guild.id, session.shard));
    this.#send(session, "READY", {
      v: 10,
      user: { ...userJson(this.#bot), bot: true, verified: true, mfa_enabled: false, email: null, flags: 0 },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.#url(),
      session_type: "normal",
      shard: session.shard,
      private_channels: [],
      application: { id: this.#applicationId, flags: 0 },
    });
    if ((intents & INTENTS.guilds) !== 0) {
      for (const guild of guilds.filter(({ isAway }) => !isAway))
        this.#send(session, "GUILD_CREATE", guildJson(this.#state, guild, this.#bot));
    }
    return session;
  }

  #resume(ws: WebSocket, d: JsonObject): Session | undefined {
    this.resumes++;
    if (d["token"] !== this.token) {
      ws.close(4004, "Authentication failed.");
      return undefined;
    }
    const session = this.#sessions.get(String(d["session_id"]));
    const seq = Number(d["seq"]);
    const oldest = session?.sent[0]?.seq ?? 0;
    if (session === undefined || session.isOver || !(seq + 1 >= oldest)) {
      say(ws, { op: 9, d: false });
      return undefined;
    }
    if (seq > session.seq) {
      ws.close(4007, "Invalid seq.");
      return undefined;
    }
    session.socket?.terminate();
    session.socket = ws;
    for (const missed of session.sent) if (missed.seq > seq) ws.send(missed.text);
    this.#send(session, "RESUMED", {});
    return session;
  }

  #spread(event: DispatchEvent): void {
    const verdict = this.#judge?.(event) ?? "deliver";
    if (verdict === "lose") return;
    for (const session of this.#sessions.values()) {
      if (session.isOver || !this.#hears(session, event)) continue;
      const hasContent = (session.intents & INTENTS.messageContent) !== 0;
      const payload = event.d({ hasContent });
      this.#send(session, event.t, payload);
      if (verdict === "twice") this.#send(session, event.t, payload);
    }
  }

  #hears({ intents, shard }: Session, { t, channel, guild }: DispatchEvent): boolean {
    const place = channel?.guild?.id ?? guild;
    if (place === undefined ? shard[0] !== 0 : !isOnShard(place, shard)) return false;
    if (t === "INTERACTION_CREATE") return true;
    if (channel !== undefined && !this.#state.botMay(channel, "ViewChannel")) return false;
    if (!t.startsWith("MESSAGE_")) return (intents & INTENTS.guilds) !== 0;
    const isDirect = channel?.type === CHANNEL_TYPES.dm;
    const needed = t.startsWith("MESSAGE_REACTION_")
      ? [INTENTS.guildReactions, INTENTS.directReactions]
      : [INTENTS.guildMessages, INTENTS.directMessages];
    return (intents & (needed[isDirect ? 1 : 0] ?? 0)) !== 0;
  }

  #send(session: Session, t: string, d: JsonObject): void {
    const seq = ++session.seq;
    const text = JSON.stringify({ op: 0, s: seq, t, d });
    session.sent.push({ seq, text });
    if (session.sent.length > REMEMBERED) session.sent.shift();
    session.socket?.send(text);
  }

  #later(ms: number, run: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #forget(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }
}

function isOnShard(guild: string, [id, count]: readonly [number, number]): boolean {
  return Number((BigInt(guild) >> 22n) % BigInt(count)) === id;
}

function readPayload(data: Buffer): { readonly op: number; readonly d: JsonObject } | undefined {
  try {
    const payload = JSON.parse(data.toString("utf8")) as { op?: unknown; d?: unknown };
    if (typeof payload.op !== "number") return undefined;
    return {
      op: payload.op,
      d: typeof payload.d === "object" && payload.d !== null ? (payload.d as JsonObject) : {},
    };
  } catch {
    return undefined;
  }
}

function say(socket: WebSocket, payload: JsonObject): void {
  socket.send(JSON.stringify(payload));
}
