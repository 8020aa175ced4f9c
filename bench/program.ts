/** A program of the bench as a process of its own, so that its processor time and memory are nobody else's. */

import { fork } from "node:child_process";
import { once } from "node:events";

export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Resolves with the answer; several may be asked at once. Rejects when the process ends first. */
  ask<T>(question: object): Promise<T>;
  /** What the process holds after its garbage was collected. */
  memory(): Promise<Memory>;
}

export interface Memory {
  /** All that the system gave the process, bytes. */
  readonly rss: number;
  /** What its objects take, their buffers included, bytes. */
  readonly held: number;
}

interface Asked {
  readonly id: number;
  readonly question: unknown;
}

interface Answered {
  readonly id: number;
  readonly answer: unknown;
}

const MEMORY = "memory";

/** Resolves when the program has said that it is ready. */
export async function startProgram(file: URL, args: readonly string[]): Promise<Program> {
  const child = fork(file, args, { execArgv: ["--expose-gc"] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<unknown>();
  waiting.set(0, ready);
  let count = 0;
  let failure: Error | undefined;
  child.on("message", ({ id, answer }: Answered) => {
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
  });
  child.once("exit", (code) => {
    failure = new Error(`${file.pathname} ended with ${code}`);
    for (const each of waiting.values()) each.reject(failure);
  });

  async function ask(question: unknown): Promise<unknown> {
    if (failure !== undefined) throw failure;
    const id = ++count;
    const waits = Promise.withResolvers<unknown>();
    waiting.set(id, waits);
    child.send({ id, question } satisfies Asked);
    return waits.promise;
  }

  await ready.promise;
  return {
    pid: child.pid ?? 0,
    ask: <T>(question: object) => ask(question) as Promise<T>,
    memory: () => ask(MEMORY) as Promise<Memory>,
    async [Symbol.asyncDispose]() {
      if (failure !== undefined) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

/** The other side: says that it is ready, then answers each question. */
export function serveQuestions<Q>(answer: (question: Q) => Promise<object>): void {
  const tell = (answered: Answered): void => void process.send?.(answered);
  process.on("message", ({ id, question }: Asked) => {
    const answering = question === MEMORY ? measureMemory() : answer(question as Q);
    answering.then(
      (found) => tell({ id, answer: found }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.once("disconnect", () => process.exit());
  tell({ id: 0, answer: "ready" });
}

/** Twice, since what the first collection finalises is freed by the second. */
async function measureMemory(): Promise<Memory> {
  for (let times = 0; times < 2; times++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, held: heapUsed + external };
}
