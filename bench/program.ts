/** A program of the bench as a process of its own, so that its processor time and memory are nobody else's. */

import { fork } from "node:child_process";
import { once } from "node:events";

export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Sends a question and resolves with the answer; one at a time. Rejects when the process ends first. */
  ask<T>(question: object): Promise<T>;
}

/** Resolves when the program has said that it is ready. */
export async function startProgram(file: URL, args: readonly string[]): Promise<Program> {
  const child = fork(file, args, { execArgv: [], serialization: "json" });
  const ended = Promise.withResolvers<never>();
  child.once("exit", (code) => ended.reject(new Error(`${file.pathname} ended with ${code}`)));
  ended.promise.catch(() => {});
  const next = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([once(child, "message"), ended.promise])) as [T];
    return message;
  };
  await next();
  return {
    pid: child.pid ?? 0,
    ask<T>(question: object) {
      const answer = next<T>();
      child.send(question);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

/** The other side: says that it is ready, then answers each question. */
export function serveQuestions<Q>(answer: (question: Q) => Promise<object>): void {
  const reply = async (question: Q): Promise<void> => void process.send?.(await answer(question));
  process.on("message", (question: Q) => {
    reply(question).catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
  process.once("disconnect", () => process.exit());
  process.send?.({ ready: true });
}
