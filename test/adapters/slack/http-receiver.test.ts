import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { isFromSlack } from "../../../src/adapters/slack/signature.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";
import { recorded } from "./recorded.ts";

const event = (): string => JSON.stringify(recorded("mention"));
const urlOf = (world: InboundWorld, path = "/slack/events"): string => `${world.http.url}${path}`;

async function isReady(world: InboundWorld): Promise<boolean> {
  return (await fetch(`${world.http.url}/readyz`)).ok;
}

test("S9 a request without a right signature is refused, whatever it brings and wherever it goes", async () => {
  await using world = await inboundWorld({ over: "http" });
  const { http } = world.slack;
  const form = "application/x-www-form-urlencoded";
  const bodies = [
    { body: event() },
    { body: JSON.stringify({ type: "url_verification", challenge: "tell me" }) },
    {
      body: new URLSearchParams({ payload: JSON.stringify({ type: "block_actions" }) }).toString(),
      contentType: form,
    },
    { body: new URLSearchParams({ command: "/reset", ssl_check: "1" }).toString(), contentType: form },
    { body: "" },
    { body: "{" },
  ];
  const wrong = [
    { signature: undefined },
    { signature: "" },
    { signature: "v0=" },
    { signature: `v0=${"0".repeat(64)}` },
    { signature: `v1=${"0".repeat(64)}` },
    { secret: "another secret" },
    { ageS: 301 },
    { ageS: -400 },
    { headers: { "x-slack-request-timestamp": "" } },
    { headers: { "x-slack-request-timestamp": "1e9" } },
  ];
  for (const path of ["/slack/events", "/slack/interactive", "/slack/commands", "/slack"]) {
    for (const body of bodies) {
      for (const way of wrong) {
        const response = await http.post(urlOf(world, path), { ...body, ...way });
        expect([path, way, response.status]).toEqual([path, way, 401]);
        expect(await response.text()).not.toContain("tell me");
      }
    }
  }
  expect(await world.stored()).toEqual([]);
  expect(await isReady(world)).toBe(true);
});

test("a request that is a few minutes late is taken", async () => {
  await using world = await inboundWorld({ over: "http" });
  expect((await world.slack.http.post(urlOf(world), { body: event(), ageS: 290 })).status).toBe(200);
  expect(await world.stored()).toHaveLength(1);
});

test("a body of 5 MB is refused before it is read, also where it does not say how long it is", async () => {
  await using world = await inboundWorld({ over: "http" });
  const body = JSON.stringify({ ...recorded("mention"), filler: "x".repeat(5 * 1024 * 1024) });
  expect((await world.slack.http.post(urlOf(world), { body })).status).toBe(413);
  const stream = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 80; n++) controller.enqueue(Buffer.alloc(64 * 1024, "x"));
      controller.close();
    },
  });
  const init = { method: "POST", body: stream, duplex: "half" } as const;
  const status = await fetch(urlOf(world), init as RequestInit).then(
    (response) => response.status,
    () => "cut off",
  );
  expect([413, "cut off"]).toContain(status);
  expect(await isReady(world)).toBe(true);
  expect(await world.stored()).toEqual([]);
});

test.each([
  ["to Slack's address", "POST /slack/events"],
  ["with a method that is not taken there", "PUT /slack/events"],
  ["to an address where nothing is", "POST /nowhere"],
])("who goes on sending without end when it was refused is cut off: %s", async (_, line) => {
  await using world = await inboundWorld({ over: "http" });
  const socket = connect(Number(new URL(world.http.url).port), "127.0.0.1");
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  let said = "";
  socket.on("data", (piece: Buffer) => (said += piece.toString()));
  // It is cut off while it writes.
  socket.on("error", () => undefined);
  socket.write(`${line} HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n`);
  const piece = `100000\r\n${"x".repeat(0x100000)}\r\n`;
  const pump = (): void => {
    if (socket.destroyed) return;
    if (socket.write(piece)) setImmediate(pump);
    else socket.once("drain", pump);
  };
  pump();
  await closed;
  expect(said).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await isReady(world)).toBe(true);
});

test("Slack's question whether the address is ours is answered", async () => {
  await using world = await inboundWorld({ over: "http" });
  expect(await world.slack.http.verify(urlOf(world))).toBe(true);
});

test("what cannot be read is refused, and what is no message of anybody is acknowledged", async () => {
  await using world = await inboundWorld({ over: "http" });
  const { http } = world.slack;
  for (const body of ["{", "[]", "7", "null"]) {
    expect((await http.post(urlOf(world), { body })).status).toBe(400);
  }
  expect((await http.post(urlOf(world), { body: JSON.stringify(recorded("rate_limited")) })).status).toBe(
    200,
  );
  expect((await http.post(urlOf(world), { body: JSON.stringify({ type: "event_callback" }) })).status).toBe(
    200,
  );
  expect((await http.post(urlOf(world, "/slack/elsewhere"), { body: event() })).status).toBe(404);
  expect((await fetch(urlOf(world))).status).toBe(405);
  expect(await world.stored()).toEqual([]);
});

test("after a stop nothing is taken any more, and Slack is told to come again", async () => {
  await using world = await inboundWorld({ over: "http" });
  await world.connection.stop();
  await world.connection.stop();
  expect((await world.slack.http.post(urlOf(world), { body: event() })).status).toBe(503);
  expect(await world.stored()).toEqual([]);
});

test("a signature holds for its body, its time and its secret only", () => {
  const body = Buffer.from(`payload=${"\u00e9".repeat(3)}`);
  const at = 1_718_000_000;
  const hex = createHmac("sha256", "s").update(`v0:${at}:`).update(body).digest("hex");
  const signed = { timestamp: String(at), signature: `v0=${hex}`, body };
  expect(isFromSlack(signed, "s", at * 1_000)).toBe(true);
  expect(isFromSlack(signed, "s", (at + 300) * 1_000)).toBe(true);
  expect(isFromSlack(signed, "s", (at + 301) * 1_000)).toBe(false);
  expect(isFromSlack(signed, "t", at * 1_000)).toBe(false);
  expect(isFromSlack({ ...signed, body: Buffer.from("x") }, "s", at * 1_000)).toBe(false);
  expect(isFromSlack({ ...signed, timestamp: String(at + 1) }, "s", at * 1_000)).toBe(false);
  expect(isFromSlack({ ...signed, signature: `v0=${hex.toUpperCase()}` }, "s", at * 1_000)).toBe(false);
  expect(isFromSlack({ ...signed, signature: null }, "s", at * 1_000)).toBe(false);
});
