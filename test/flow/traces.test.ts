// A message as OpenTelemetry's collector sees it: from a gateway to a worker, in traces that join, and without a word of it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { createWebPerson } from "../support/web-person.ts";

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** What a collector takes: OTLP over HTTP, as JSON. */
async function openCollector() {
  const bodies: string[] = [];
  const headers: (string | undefined)[] = [];
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(Buffer.concat(parts).toString());
      headers.push(request.headers.authorization);
      paths.push(request.url);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    paths,
    exports: (): readonly Export[] => bodies.map((body) => JSON.parse(body) as Export),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const told = ({ attributes }: Pick<ReceivedSpan, "attributes">): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("a message, its wake, its run with attempt, model calls and tool, and what was written are spans that join over processes, and hold no word and no secret", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const redis = stack.use(await freshRedis());
  const collector = stack.use(await openCollector());
  const llm = await createFakeLlm({ talker: { perSecond: 1_000 } });
  stack.defer(() => llm.close());
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    WEB_CHAT: "on",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector",
  };
  const gateway = await startProduct("gateway", env);
  const worker = await startProduct("worker", env);
  const person = createWebPerson(gateway.url, "traced-person");
  const thread = await person.say('call time_in_zone {"zone":"Europe/Lisbon"} for the heron');
  await person.replies(thread, 1);
  // What is left is sent at the end.
  await worker[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();

  const resources = collector.exports().flatMap(({ resourceSpans }) => resourceSpans);
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const one = (name: string): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(
      found.map((span) => span.name),
      spans.map((span) => span.name).join(", "),
    ).toEqual([name]);
    return found[0] as ReceivedSpan;
  };
  const inbound = one("inbound");
  const wake = one("wake");
  const run = one("run");
  const attempt = one("attempt");
  const tool = one("execute_tool time_in_zone");
  const calls = spans.filter(({ name }) => name === "chat fake");
  const writes = spans.filter(({ name }) => name.startsWith("platform "));

  expect([wake.traceId, wake.parentSpanId]).toEqual([inbound.traceId, inbound.spanId]);
  // Made in another process, and found by nothing but the ids of what they are of.
  expect(run.parentSpanId ?? "").toBe("");
  expect(run.links).toEqual([expect.objectContaining({ traceId: inbound.traceId, spanId: inbound.spanId })]);
  expect([attempt.traceId, attempt.parentSpanId]).toEqual([run.traceId, run.spanId]);
  expect(calls.length).toBe(2);
  expect(writes.length).toBeGreaterThan(0);
  for (const each of [...calls, ...writes, tool])
    expect([each.name, each.traceId, each.parentSpanId]).toEqual([each.name, run.traceId, attempt.spanId]);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans) {
    expect(BigInt(to)).toBeGreaterThanOrEqual(BigInt(from));
    expect(Math.abs(Number(BigInt(from) / 1_000_000n) - Date.now())).toBeLessThan(300_000);
  }

  expect(told(inbound)).toMatchObject({ "bobbin.outcome": "stored", "bobbin.inbound.kind": "message" });
  expect(told(run)).toMatchObject({ "bobbin.cause": "message", "bobbin.end.reason": "stop" });
  expect(told(attempt)).toMatchObject({
    "bobbin.attempt.how": "ended",
    "bobbin.run": told(run)["bobbin.run"],
  });
  for (const call of calls) {
    expect(told(call)).toMatchObject({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "fake" });
    expect(Number(told(call)["gen_ai.usage.output_tokens"])).toBeGreaterThan(0);
  }
  expect(told(tool)).toMatchObject({ "gen_ai.tool.name": "time_in_zone" });
  const roles = resources.map(({ resource }) => told(resource));
  expect(new Set(roles.map((each) => each["bobbin.role"]))).toEqual(new Set(["gateway", "worker"]));
  for (const each of roles) expect(each["service.name"]).toBe("bobbin");

  expect(new Set(collector.paths)).toEqual(new Set(["/v1/traces"]));
  expect(new Set(collector.headers)).toEqual(new Set(["Bearer of-the-collector"]));
  expect(collector.bodies.join("\n")).not.toMatch(/heron|Lisbon|traced-person|of-the-collector/);
});
