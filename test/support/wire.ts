// A wire between a program and its server that a test may silence, slow down, cut: a TCP proxy of ours.
// A silent wire takes connections and bytes and lets nothing pass, as a network does that loses every packet: nobody is told.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Seen from the program: `there` is what it sends, `back` what it is answered. */
export type Way = "there" | "back";

export interface Wire extends AsyncDisposable {
  /** The server's URL, by way of this wire. */
  readonly url: string;
  /** Everything passes, new connections too. What was held passes now, also when its sender has gone meanwhile. */
  mend(): Promise<void>;
  /** Nothing passes on these ways; both unless said. */
  silence(...ways: readonly Way[]): void;
  /** What is open now stays silent for ever, as after a firewall has forgotten it; new connections are as before. */
  forget(): void;
  /** What passes waits so long on its way back. */
  slow(ms: number): void;
  /** Nothing listens any more, and what is open breaks. */
  refuse(): Promise<void>;
  /** What is open breaks; new connections are as before. */
  cut(): void;
  /** Pieces that were sent and have not passed. */
  readonly held: number;
}

interface Piece {
  /** Nothing: the sender has ended. */
  readonly bytes: Buffer | undefined;
  readonly dueAt: number;
}

export async function openWire(serverUrl: string): Promise<Wire> {
  const target = new URL(serverUrl);
  let port = 0;
  const silent = new Set<Way>();
  const lines = new Set<Line>();
  let delayMs = 0;
  let server: Server | undefined;

  const take = (near: Socket): void => {
    const far = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
    const line = new Line(near, far, { isHeld: (way) => silent.has(way), delayMs: () => delayMs });
    lines.add(line);
    near.once("close", () => {
      if (line.isOver) lines.delete(line);
    });
  };
  const listen = async (): Promise<void> => {
    if (server !== undefined) return;
    const listening = createServer({ allowHalfOpen: true }, take);
    server = listening;
    await new Promise<void>((resolve, reject) => {
      listening.once("error", reject);
      listening.listen(port, "127.0.0.1", resolve);
    });
    port = (listening.address() as AddressInfo).port;
  };
  const cut = (): void => {
    for (const line of lines) line.cut();
    lines.clear();
  };
  const refuse = async (): Promise<void> => {
    const listening = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => {
      if (listening === undefined) resolve();
      else listening.close(() => resolve());
    });
    cut();
    await closed;
  };

  await listen();
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = `${port}`;
  return {
    url: url.href,
    async mend() {
      silent.clear();
      delayMs = 0;
      for (const line of lines) line.flow();
      await listen();
    },
    silence(...ways) {
      for (const way of ways.length === 0 ? (["there", "back"] as const) : ways) silent.add(way);
    },
    forget() {
      for (const line of lines) line.isForgotten = true;
    },
    slow(ms) {
      delayMs = ms;
    },
    refuse,
    cut,
    get held() {
      return lines.values().reduce((sum, line) => sum + line.held, 0);
    },
    [Symbol.asyncDispose]: refuse,
  };
}

interface LineRules {
  isHeld(way: Way): boolean;
  delayMs(): number;
}

/** One connection: two queues of pieces, each let through in its order when its way is free. */
class Line {
  isForgotten = false;
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #rules: LineRules;
  readonly #queues: Readonly<Record<Way, Piece[]>> = { there: [], back: [] };

  constructor(near: Socket, far: Socket, rules: LineRules) {
    this.#near = near;
    this.#far = far;
    this.#rules = rules;
    this.#hear(near, "there");
    this.#hear(far, "back");
  }

  get isOver(): boolean {
    return this.#near.destroyed && this.#far.destroyed;
  }

  get held(): number {
    return this.#queues.there.length + this.#queues.back.length;
  }

  cut(): void {
    this.#near.resetAndDestroy();
    this.#far.resetAndDestroy();
  }

  flow(): void {
    this.#flow("there");
    this.#flow("back");
  }

  #hear(from: Socket, way: Way): void {
    from.setNoDelay(true);
    const add = (bytes: Buffer | undefined): void => {
      const delayMs = way === "back" ? this.#rules.delayMs() : 0;
      this.#queues[way].push({ bytes, dueAt: performance.now() + delayMs });
      this.#flow(way);
    };
    from.on("data", add);
    from.once("end", () => add(undefined));
    // A reset is an end as well: the other side hears of it when the way is free.
    from.on("error", () => add(undefined));
  }

  #flow(way: Way): void {
    const queue = this.#queues[way];
    const to = way === "there" ? this.#far : this.#near;
    for (let piece = queue[0]; piece !== undefined; piece = queue[0]) {
      if (this.isForgotten || this.#rules.isHeld(way)) return;
      const waitMs = piece.dueAt - performance.now();
      if (waitMs > 0) {
        setTimeout(() => this.#flow(way), waitMs);
        return;
      }
      queue.shift();
      if (piece.bytes === undefined) to.end();
      else if (to.writable) to.write(piece.bytes);
    }
  }
}
