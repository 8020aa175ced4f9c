// The processes of a chaos run: gateways and workers, each in its place; who dies is started again in the same place.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../support/product.ts";
import { compiledSources } from "../support/services/compiled-sources.ts";
import { until } from "../support/until.ts";
import { ORDERS, type MomentOrder, type StartOrders } from "./orders.ts";

export interface FleetOptions {
  readonly env: Environment;
  /** The first gateway's own: to it the platform sends what comes over HTTP. */
  readonly gatewayEnv: Environment;
  /** More than one where they share what only one may do. */
  readonly gateways: number;
  readonly workers: number;
  readonly orders: StartOrders;
  /** Where each process writes its log. */
  readonly folder: string;
}

export interface Place {
  readonly name: string;
  readonly role: "gateway" | "worker";
  /** Something is done to it already. */
  isBusy: boolean;
}

interface Seat extends Place {
  child: ChildProcess | undefined;
  ready: Promise<void>;
  starts: number;
}

export class Fleet implements AsyncDisposable {
  readonly places: readonly Place[];
  readonly #seats: readonly Seat[];
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
    const seat = (name: string, role: Place["role"]): Seat => ({
      name,
      role,
      isBusy: false,
      child: undefined,
      ready: Promise.resolve(),
      starts: 0,
    });
    this.#seats = [
      seat("gateway", "gateway"),
      ...Array.from({ length: options.gateways - 1 }, (_, at) => seat(`gateway${at + 2}`, "gateway")),
      ...Array.from({ length: options.workers }, (_, at) => seat(`worker${at + 1}`, "worker")),
    ];
    this.places = this.#seats;
  }

  /** Resolves when all that were started are ready. */
  async allReady(): Promise<void> {
    await Promise.all(this.#seats.map(({ ready }) => ready));
  }

  startAll(): void {
    for (const seat of this.#seats) if (!isAlive(seat)) this.start(seat);
  }

  /** @throws Error when its process lives. */
  start(place: Place): void {
    const seat = this.#seatOf(place);
    if (isAlive(seat)) throw new Error(`${seat.name} runs already`);
    const { env, gatewayEnv, orders, folder } = this.#options;
    const logFile = openSync(join(folder, `${seat.name}-${++seat.starts}.log`), "w");
    const child = spawn(process.execPath, [join(import.meta.dirname, "entry.ts"), seat.role], {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: tmpdir(),
        HOST: "127.0.0.1",
        NODE_COMPILE_CACHE: compiledSources,
        PORT: "0",
        ...env,
        ...(seat.name === "gateway" ? gatewayEnv : {}),
        [ORDERS]: JSON.stringify(orders),
      },
      stdio: ["ignore", logFile, logFile, "ipc"],
    });
    closeSync(logFile);
    seat.child = child;
    seat.ready = new Promise((resolve) => {
      child.once("message", () => resolve());
      child.once("exit", () => resolve());
    });
    child.on("error", () => {});
  }

  /** Sends the signal and waits for the end. @returns the exit code, or the signal's name. */
  async end(place: Place, signal: "SIGKILL" | "SIGTERM"): Promise<number | string> {
    const { child } = this.#seatOf(place);
    if (child === undefined || !isAlive({ child })) return child?.signalCode ?? child?.exitCode ?? "absent";
    const exit = once(child, "exit");
    child.kill(signal);
    // Who stands still would never hear of it.
    child.kill("SIGCONT");
    await exit;
    return child.signalCode ?? child.exitCode ?? 0;
  }

  pause(place: Place): void {
    this.#seatOf(place).child?.kill("SIGSTOP");
  }

  resume(place: Place): void {
    this.#seatOf(place).child?.kill("SIGCONT");
  }

  /** Nothing, where the process is not ready for it. */
  order(place: Place, order: MomentOrder): void {
    const { child } = this.#seatOf(place);
    if (child?.connected === true) child.send({ ...order }, () => {});
  }

  pidOf(place: Place): number {
    return this.#seatOf(place).child?.pid ?? 0;
  }

  stateOf(place: Place): "runs" | "stopped" | "ended" {
    const seat = this.#seatOf(place);
    if (!isAlive(seat)) return "ended";
    try {
      const stat = readFileSync(`/proc/${seat.child?.pid}/stat`, "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T") ? "stopped" : "runs";
    } catch {
      return "ended";
    }
  }

  async untilReady(place: Place): Promise<void> {
    const { ready, name } = this.#seatOf(place);
    let isReady = false;
    ready.then(() => (isReady = true)).catch(() => {});
    await until(() => isReady, { everyMs: 50, what: `${name} is ready` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#seats.map((seat) => this.end(seat, "SIGKILL")));
  }

  #seatOf(place: Place): Seat {
    const seat = this.#seats.find(({ name }) => name === place.name);
    if (seat === undefined) throw new Error(`no such place: ${place.name}`);
    return seat;
  }
}

function isAlive({ child }: { readonly child: ChildProcess | undefined }): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
