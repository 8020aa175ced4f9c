/**
 * The model client: Chat Completions of any compatible server. The SDK says where requests go and what stands in their head,
 * once; sending one through it takes longer than all the rest of it. The body is read by our own reader, which costs a third
 * of the SDK's per delta and knows the field's quirks.
 */

import { createHash } from "node:crypto";
import { OpenAI } from "openai";
import { toBobbinError, type BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Model, ModelEvent, ModelRequest } from "../../core/ports/model.ts";
import { breakable } from "./breakable.ts";
import { Connection } from "./connection.ts";
import { isTriedAgain, retryAfterOf } from "./failures.ts";
import { checkedOptions, type CheckedOptions, type OpenAiOptions } from "./options.ts";
import { Reply } from "./reply.ts";
import { Stopwatch } from "./stopwatch.ts";
import { createTransport, type RequestHead, type Transport } from "./transport.ts";
import { bodyOf } from "./wire.ts";

export interface OpenAiDeps {
  readonly clock: Clock;
  readonly log?: Log;
  /** From 0 to 1, for the spread of retries. Default `Math.random`. */
  readonly random?: () => number;
}

export interface OpenAiModel extends Model {
  /** Ends all connections. Streams that are open fail. */
  close(): Promise<void>;
}

/** @throws RangeError when an option is out of range. */
export function createOpenAiModel(deps: OpenAiDeps, options: OpenAiOptions): OpenAiModel {
  const settings = checkedOptions(options);
  const transport = createTransport(deps.clock, settings.connectMs);
  const client = new OpenAI({
    apiKey: settings.apiKey === "" ? "none" : settings.apiKey,
    baseURL: settings.baseUrl,
    maxRetries: 0,
    // Words go into our log. The rest would be read from the environment.
    logLevel: "off",
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
  });
  const provider: Provider = {
    ...deps,
    random: deps.random ?? Math.random,
    settings,
    transport,
    head: headOf(client),
  };
  return {
    stream: (request, signal) => breakable((left) => answer(provider, request, signal, left)),
    close: () => transport.close(),
  };
}

interface Provider extends OpenAiDeps {
  readonly random: () => number;
  readonly settings: CheckedOptions;
  readonly transport: Transport;
  readonly head: Promise<RequestHead>;
}

function headOf(client: OpenAI): Promise<RequestHead> {
  const built = client.buildRequest({
    method: "post",
    path: "/chat/completions",
    // As text with its type the body is sent as it is: its bytes are the ones that were hashed.
    body: "{}",
    headers: { "content-type": "application/json", accept: "text/event-stream, application/json" },
  });
  const head = built.then(({ url, req }) => ({ url, headers: Object.fromEntries(req.headers) }));
  // Whoever asks is told.
  head.catch(() => undefined);
  return head;
}

/** All tries of one request. */
async function* answer(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal,
  left: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  try {
    if (signal.aborted) return void (yield { kind: "aborted" });
    let body: string | undefined = bodyOf(request);
    const bodyHash = createHash("sha256").update(body).digest("hex");
    yield { kind: "sent", bodyHash };
    const stops = [signal, left];
    for (let attempt = 1; ; attempt++) {
      const stopwatch = new Stopwatch(provider.clock);
      const out: ModelEvent[] = [];
      const reply = new Reply(out, {
        idPrefix: `call_${bodyHash.slice(0, 12)}_`,
        secret: provider.settings.apiKey,
        beginsThinking: request.model.beginsThinking,
        replays: request.model.replays,
      });
      const connection = new Connection(provider, reply, stops);
      try {
        const opening = connection.open(body ?? bodyOf(request));
        // An answer may take minutes, and a body is large: another try makes the same one again.
        body = undefined;
        await opening;
        while (await connection.read()) {
          for (const event of out) {
            if (signal.aborted) break;
            stopwatch.firstToken();
            yield event;
          }
          out.length = 0;
        }
      } finally {
        await connection.close();
      }
      if (left.aborted) return;
      const usage = stopwatch.usage(reply, request.model);
      const failure = reply.failure;
      const wait =
        signal.aborted || failure === undefined ? undefined : waitBefore(provider, attempt, failure);
      if (wait !== undefined && failure !== undefined) {
        provider.log?.warn("a model call is tried again", { attempt, wait, error: failure });
        // In this order: what a reader throws away at `again` must not be the usage.
        yield { kind: "again", why: failure.message };
        if (usage !== undefined) yield { kind: "usage", usage };
        await pause(provider.clock, wait, stops);
        if (!signal.aborted && !left.aborted) continue;
        return void (yield { kind: "aborted" });
      }
      if (usage !== undefined) yield { kind: "usage", usage };
      if (signal.aborted) return void (yield { kind: "aborted" });
      return void (yield failure === undefined ? reply.done() : { kind: "failed", error: failure });
    }
  } catch (thrown) {
    yield { kind: "failed", error: toBobbinError(thrown) };
  }
}

/** How long to wait before the next try, ms; undefined when there is none. */
function waitBefore(provider: Provider, attempt: number, failure: BobbinError): number | undefined {
  const { maxAttempts, backoffMs, maxBackoffMs } = provider.settings;
  if (attempt >= maxAttempts || !isTriedAgain(failure)) return undefined;
  const asked = retryAfterOf(failure);
  if (asked !== undefined) return asked <= maxBackoffMs ? asked : undefined;
  const full = Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * provider.random();
}

/** Ends early when one of the signals aborts. */
async function pause(clock: Clock, ms: number, stops: readonly AbortSignal[]): Promise<void> {
  if (stops.some((stop) => stop.aborted)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  const cancel = clock.after(ms, end);
  for (const stop of stops) stop.addEventListener("abort", end);
  await promise;
  cancel();
  for (const stop of stops) stop.removeEventListener("abort", end);
}
