/**
 * A whole bot in its barest form: a mention becomes a row and a job; the worker claims, asks the model, runs the tool, posts and
 * edits, and commits each round. No leases, no retries, no formatting, no pacing: the floor for the product.
 */

import { Worker } from "bullmq";
import { Agent, request } from "undici";
import { BARE_QUEUE, connectRedis, openBareIntake, type BareJob, type BareServers } from "../bare-intake.ts";
import { BARE_CLAIM, BARE_COMMIT } from "../bare-store.ts";
import { serveQuestions } from "../program.ts";
import { serveEvents, type BareEvent } from "../signed-events.ts";
import { createRoundReader, type BareMessage } from "../round-reader.ts";

export interface SkeletonOptions extends BareServers {
  readonly signingSecret: string;
  readonly botToken: string;
  readonly apiUrl: string;
  readonly modelUrl: string;
  readonly concurrency: number;
}

export interface SkeletonAnswer {
  readonly url: string;
  /** Runs that have ended. */
  readonly handled: number;
}

interface Claimed {
  readonly epoch: string;
  readonly inbox: readonly { readonly id: string; readonly body: BareEvent }[] | null;
  readonly history: readonly BareMessage[] | null;
}

const HISTORY = 50;
const DONE = {
  name: "bare-done",
  text: "update bare_inbox set done = true where session = $1 and not done",
};

const options = JSON.parse(process.argv[2] ?? "{}") as SkeletonOptions;
const { pool, take } = openBareIntake(options);
const agent = new Agent();
const readRound = createRoundReader(options.modelUrl, agent);
const { url } = await serveEvents(options.signingSecret, take);
let handled = 0;

async function call(method: string, args: object): Promise<string> {
  const answer = await request(`${options.apiUrl}${method}`, {
    dispatcher: agent,
    method: "POST",
    headers: {
      authorization: `Bearer ${options.botToken}`,
      "content-type": "application/json; charset=utf-8",
    },
    body: JSON.stringify(args),
  });
  const { ok, ts, error } = (await answer.body.json()) as { ok: boolean; ts: string; error?: string };
  if (!ok) throw new Error(`${method}: ${error}`);
  return ts;
}

async function work(session: string): Promise<void> {
  const { rows } = await pool.query<Claimed>({ ...BARE_CLAIM, values: [session, HISTORY] });
  const [claimed] = rows;
  const event = claimed?.inbox?.[0]?.body;
  if (claimed === undefined || event === undefined) return;
  const { channel, root } = event;
  const messages: BareMessage[] = [...(claimed.history ?? []), { role: "user", content: event.text }];
  const posted = call("chat.postMessage", {
    channel,
    thread_ts: root,
    text: "Thinking",
    unfurl_links: false,
    unfurl_media: false,
  });
  posted.catch(() => {});
  const show = async (text: string): Promise<void> => {
    await call("chat.update", { channel, ts: await posted, text });
  };
  const commit = async (message: BareMessage): Promise<void> => {
    messages.push(message);
    const body = JSON.stringify(message);
    await pool.query({ ...BARE_COMMIT, values: [session, claimed.epoch, body, body] });
  };
  for (;;) {
    const round = await readRound(messages);
    await commit(round.message);
    if (round.calls.length === 0) {
      await show(round.text);
      break;
    }
    const shown = show("Using a tool");
    shown.catch(() => {});
    for (const each of round.calls) {
      const content = JSON.stringify({ zone: each.function.arguments, local: new Date().toISOString() });
      await commit({ role: "tool", tool_call_id: each.id, content });
    }
    await shown;
  }
  await pool.query({ ...DONE, values: [session] });
  handled++;
}

const worker = new Worker<BareJob>(BARE_QUEUE, async ({ data }) => work(data.session), {
  connection: connectRedis(options),
  concurrency: options.concurrency,
});
worker.on("failed", (_, error) => console.error(error));
await worker.waitUntilReady();
serveQuestions<object>((): Promise<SkeletonAnswer> => Promise.resolve({ url, handled }));
