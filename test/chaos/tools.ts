// The agent's tools in a chaos run. What a call does is done, and counted, in another process: what happened stays happened,
// whatever becomes of the worker.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { toolOf } from "../../src/adapters/tools/define.ts";
import type { Tool } from "../../src/core/agent/tool.ts";
import { TOOLS, type ToolName } from "./recipe.ts";

/** One thing that a tool did. */
export interface Deed {
  readonly order: string;
  readonly tool: string;
  readonly session: string;
  readonly run: string;
  readonly call: string;
  /** Of the process that did it. */
  readonly pid: number;
  /** ms since 1970, when it was done. */
  readonly at: number;
}

export interface Workshop extends AsyncDisposable {
  readonly url: string;
  readonly deeds: readonly Deed[];
}

/** Does what the tools ask for, at once, and answers after a while. */
export async function openWorkshop(answersAfterMs: () => number): Promise<Workshop> {
  const deeds: Deed[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.once("end", () => {
      const asked = JSON.parse(Buffer.concat(pieces).toString()) as Omit<Deed, "at">;
      deeds.push({ ...asked, at: Date.now() });
      setTimeout(() => response.end("done"), answersAfterMs());
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    deeds,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

export function toolsAt(url: string): readonly Tool[] {
  return (Object.keys(TOOLS) as ToolName[]).map((name) =>
    toolOf({
      name,
      description: `Does ${name} for an order.`,
      effect: TOOLS[name],
      arguments: z.object({ order: z.string() }),
      async run({ order }, { session, run, call, signal }) {
        const deed = { order, tool: name, session, run, call, pid: process.pid } satisfies Omit<Deed, "at">;
        const answer = await fetch(url, { method: "POST", body: JSON.stringify(deed), signal });
        return `${await answer.text()}: ${order}`;
      },
    }),
  );
}
