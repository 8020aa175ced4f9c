import type { IncomingMessage, ServerResponse } from "node:http";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { expect, test } from "vitest";
import {
  listen,
  type ListenDeps,
  type Listening,
  type ListenOptions,
} from "../../../src/adapters/http/listen.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Log } from "../../../src/core/ports/log.ts";
import { until } from "../../support/until.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const host = "127.0.0.1";

async function open(deps: Partial<ListenDeps> = {}, options: Partial<ListenOptions> = {}) {
  const clock = createSystemClock();
  const server = await listen(
    { apps: [], checks: [], clock, log: silent, ...deps },
    { host, port: 0, ...options },
  );
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

test("a process that lives says so, and one that is ready says so", async () => {
  await using server = await open({ checks: [{ name: "Postgres", check: async () => undefined }] });
  expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ alive: true });
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { ready: true, missing: [] }]);
});

test("a process that is not ready names everything that is missing, also what fails and what hangs", async () => {
  const checks = {
    checks: [
      { name: "Postgres", check: async () => "The database has no room left." },
      { name: "Redis", check: () => Promise.reject(new Error("redis://user:secret@host")) },
      { name: "Model", check: () => new Promise<undefined>(() => {}) },
      { name: "Disk", check: async () => undefined },
    ],
  };
  await using server = await open(checks, { readyMs: 100 });
  const answer = await fetch(`${server.url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    ready: false,
    missing: [
      { name: "Postgres", why: "The database has no room left." },
      { name: "Redis", why: "It does not answer." },
      { name: "Model", why: "No answer within 100 ms." },
    ],
  });
});

test("what is missing for a part of those who are served is told, and the process is ready", async () => {
  const checks = [
    { name: "Postgres", check: async () => undefined },
    { name: "Installs", isPartial: true as const, check: async () => "T1 has to be installed again." },
  ];
  await using server = await open({ checks });
  const answer = await fetch(`${server.url}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { ready: true, missing: [], troubles: [{ name: "Installs", why: "T1 has to be installed again." }] },
  ]);
});

test("what hangs is asked once, however often the process is asked whether it is ready, and again when it has answered", async () => {
  let asked = 0;
  const answer = Promise.withResolvers<undefined>();
  const check = (): Promise<undefined> => {
    asked++;
    return answer.promise;
  };
  await using server = await open({ checks: [{ name: "Postgres", check }] }, { readyMs: 50 });
  const ready = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status;
  expect(await Promise.all([ready(), ready()])).toEqual([503, 503]);
  expect(await ready()).toBe(503);
  expect(asked).toBe(1);
  answer.resolve(undefined);
  await answer.promise;
  expect(await ready()).toBe(200);
  expect(asked).toBe(2);
});

test("each app answers below its path, the first that fits", async () => {
  const admin = new Hono().all("*", (c) => c.text(`admin ${c.req.path}`));
  const chat = new Hono().get("/", (c) => c.text("chat"));
  await using server = await open({
    apps: [
      { path: "/admin/", app: admin },
      { path: "/", app: chat },
    ],
  });
  const text = async (path: string) => (await fetch(server.url + path)).text();
  expect(await text("/admin")).toBe("admin /admin");
  expect(await text("/admin/runs")).toBe("admin /admin/runs");
  expect(await text("/")).toBe("chat");
  expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
});

test("an app that takes Node's own request is asked before the others, below its path only", async () => {
  const asked: (string | undefined)[] = [];
  const direct = {
    async answer({ url }: IncomingMessage, response: ServerResponse) {
      asked.push(url);
      if (url === "/slack/broken") throw new Error("broken");
      response.end("slack");
    },
  };
  const chat = new Hono().all("*", (c) => c.text("chat"));
  await using server = await open({
    apps: [
      { path: "/", app: chat },
      { path: "/slack/", direct },
    ],
  });
  const text = async (path: string) => (await fetch(server.url + path)).text();
  const below = ["/slack", "/slack/events", "/slack?a=1"];
  for (const path of below) expect(await text(path)).toBe("slack");
  for (const path of ["/slackers", "/", "/a/slack"]) expect(await text(path)).toBe("chat");
  expect(asked).toEqual(below);
  expect((await fetch(`${server.url}/slack/broken`)).status).toBe(500);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test("a port that is taken is one sentence with what to do", async () => {
  await using server = await open();
  await expect(open({}, { port: server.port })).rejects.toThrow(
    `Port ${server.port} on 127.0.0.1 is taken by another program. Set PORT to a free one, or stop that program.`,
  );
});

test("closing ends event streams at once and lets a request under way finish", async () => {
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const app = new Hono<{ Bindings: { closing: AbortSignal } }>()
    .get("/events", (c) =>
      streamSSE(c, async (stream) => {
        await stream.writeSSE({ data: "open" });
        await new Promise((resolve) => c.env.closing.addEventListener("abort", resolve));
      }),
    )
    .get("/slow", async (c) => {
      asked += 1;
      await answer.promise;
      return c.text("done");
    });
  const server: Listening = await open({ apps: [{ path: "/", app }] });
  const stream = await fetch(`${server.url}/events`);
  const slow = fetch(`${server.url}/slow`);
  await until(() => asked === 1, { what: "the slow request has arrived" });
  const closed = server.close();
  expect(await stream.text()).toBe("data: open\n\n");
  answer.resolve();
  expect(await (await slow).text()).toBe("done");
  await closed;
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow();
});

test("closing waits for no one longer than it may", async () => {
  const app = new Hono().get("/", () => new Promise<Response>(() => {}));
  const server = await open({ apps: [{ path: "/", app }] }, { closeMs: 50 });
  const stuck = fetch(server.url).then(
    () => "answered",
    () => "cut",
  );
  await fetch(`${server.url}/healthz`);
  await server.close();
  expect(await stuck).toBe("cut");
});
