// What the Web API's answers and silences mean, over a real socket.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSlackApi, type SlackApi } from "../../../src/adapters/slack/api.ts";
import { freePort } from "../../support/services/free-port.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const TOKEN = "xoxb-the-secret";
const replies: Reply[] = [];
const asked: { readonly path: string; readonly body: string; readonly token: string | undefined }[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece: Buffer) => (body += piece.toString()));
  request.on("end", () => {
    asked.push({ path: request.url ?? "", body, token: request.headers.authorization });
    (replies.shift() ?? json({ ok: true }))(response, request);
  });
});
let clock = manualClock();
let apiUrl = "";
let api: SlackApi;

const json =
  (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

beforeEach(async () => {
  replies.length = 0;
  asked.length = 0;
  clock = manualClock();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  apiUrl = `http://127.0.0.1:${port}/api/`;
  api = createSlackApi({ clock }, { token: TOKEN, apiUrl });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const post = { channel: "C1", thread_ts: "1.0", text: "hello", blocks: [{ type: "divider" }] };

describe("the Slack Web API", () => {
  test("an answer comes with its data, and arguments go out as Slack wants them", async () => {
    replies.push(json({ ok: true, ts: "2.0" }));
    expect(await api.call("chat.postMessage", post)).toMatchObject({ kind: "ok", data: { ts: "2.0" } });
    const [call] = asked;
    expect(call?.path).toBe("/api/chat.postMessage");
    expect(call?.token).toBe(`Bearer ${TOKEN}`);
    expect(new URLSearchParams(call?.body).get("blocks")).toBe('[{"type":"divider"}]');
  });

  test("a refusal has Slack's code and what it says about the arguments", async () => {
    replies.push(
      json({ ok: false, error: "invalid_blocks", response_metadata: { messages: ["[ERROR] x"] } }),
    );
    expect(await api.call("chat.postMessage", post)).toEqual({
      kind: "refused",
      code: "invalid_blocks",
      detail: "[ERROR] x",
    });
    replies.push(json({ ok: false, error: "missing_scope", needed: "users:read" }));
    expect(await api.call("users.info", { user: "U1" })).toMatchObject({ detail: "needs users:read" });
  });

  test("a 429 closes that method, and for posts that channel alone, until the time has come", async () => {
    replies.push(json({ ok: false, error: "ratelimited" }, 429, { "retry-after": "7" }));
    expect(await api.call("chat.postMessage", post)).toEqual({ kind: "rate_limited", afterMs: 7_000 });
    await clock.advance(3_000);
    expect(await api.call("chat.postMessage", post)).toEqual({ kind: "rate_limited", afterMs: 4_000 });
    expect(asked).toHaveLength(1);
    expect(await api.call("chat.postMessage", { ...post, channel: "C2" })).toMatchObject({ kind: "ok" });
    expect(await api.call("chat.update", post)).toMatchObject({ kind: "ok" });
    await clock.advance(4_000);
    expect(await api.call("chat.postMessage", post)).toMatchObject({ kind: "ok" });
  });

  test("too many calls are known without a header too", async () => {
    replies.push(json({ ok: false, error: "ratelimited" }, 429));
    expect(await api.call("chat.update", {})).toEqual({ kind: "rate_limited", afterMs: 30_000 });
    replies.push(json({ ok: false, error: "ratelimited" }));
    expect(await api.call("chat.delete", {})).toEqual({ kind: "rate_limited", afterMs: 30_000 });
  });

  test("a post is sent once whatever happens to its answer, and nobody knows what became of it", async () => {
    replies.push((response) => response.destroy());
    expect(await api.call("chat.postMessage", post)).toMatchObject({ kind: "unknown" });
    replies.push(() => undefined);
    const impatient = createSlackApi({ clock }, { token: TOKEN, apiUrl, timeoutMs: 400 });
    expect(await impatient.call("chat.postMessage", post)).toMatchObject({ kind: "unknown" });
    replies.push((response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "50" });
      response.write('{"ok":true');
      setImmediate(() => response.destroy());
    });
    expect(await api.call("chat.postMessage", post)).toMatchObject({ kind: "unknown" });
    replies.push((response) => response.end("<html>a proxy</html>"));
    expect(await api.call("chat.postMessage", post)).toMatchObject({ kind: "unknown" });
    replies.push(json({}, 503));
    expect(await api.call("chat.postMessage", post)).toEqual({ kind: "http", status: 503 });
    expect(asked).toHaveLength(5);
  });

  test("a read is asked again after a failure of the network or the server", async () => {
    replies.push((response) => response.destroy(), json({}, 502), json({ ok: true, user: { id: "U1" } }));
    const answer = api.call("users.info", { user: "U1" });
    await until(() => clock.waiting === 1, { what: "the first pause" });
    await clock.advance(400);
    await until(() => clock.waiting === 1, { what: "the second pause" });
    await clock.advance(1_200);
    expect(await answer).toMatchObject({ kind: "ok" });
    expect(asked).toHaveLength(3);
    replies.push(json({}, 404), json({ ok: false, error: "user_not_found" }));
    expect(await api.call("users.info", { user: "U1" })).toEqual({ kind: "http", status: 404 });
    expect(await api.call("users.info", { user: "U1" })).toEqual({ kind: "refused", code: "user_not_found" });
    expect(asked).toHaveLength(5);
  });

  test("a redirect is not followed, and the token goes nowhere else", async () => {
    replies.push(json({}, 302, { location: "/elsewhere" }));
    expect(await api.call("chat.postMessage", post)).toEqual({ kind: "http", status: 302 });
    expect(asked).toHaveLength(1);
    await expect(api.call("https://evil.example/api", {})).rejects.toThrow("not a method");
  });

  test("where nobody listens the call was never sent, and no answer tells the token", async () => {
    const away = createSlackApi({ clock }, { token: TOKEN, apiUrl: `http://127.0.0.1:${await freePort()}/` });
    const answer = await away.call("chat.postMessage", post);
    expect(answer).toMatchObject({ kind: "unreachable" });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });

  test("a proxy that the environment names leads to Slack, and is not asked for what is on this machine", async () => {
    const targets: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, socket) => {
      targets.push(request.url ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    vi.stubEnv("https_proxy", address);
    vi.stubEnv("http_proxy", address);
    try {
      const outside = createSlackApi({ clock }, { token: TOKEN });
      expect(await outside.call("chat.postMessage", post)).not.toMatchObject({ kind: "ok" });
      expect(targets).toEqual(["slack.com:443"]);
      const { port } = server.address() as AddressInfo;
      const here = createSlackApi({ clock }, { token: TOKEN, apiUrl: `http://127.0.0.1:${port}/api` });
      expect(await here.call("chat.postMessage", post)).toMatchObject({ kind: "ok" });
      expect(targets).toHaveLength(1);
    } finally {
      vi.unstubAllEnvs();
      proxy.close();
    }
  });
});
