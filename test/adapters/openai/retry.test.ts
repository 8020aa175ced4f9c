import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { BobbinError } from "../../../src/core/errors.ts";
import { sentenceFor } from "../../../src/core/errors.ts";
import {
  bytes,
  delta,
  events,
  eventsThenCut,
  eventsThenReset,
  hangsUp,
  refuses,
  says,
  staysSilent,
} from "../../support/fake-llm/answers.ts";
import { asks, gather, only } from "../../support/fake-llm/request.ts";
import type { FakeAnswer } from "../../support/fake-llm/server.ts";
import { createTalker } from "../../support/fake-llm/talker.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import { connected, KEY } from "./connected.ts";

async function failedWith(answers: readonly FakeAnswer[]): Promise<{ error: BobbinError; tries: number }> {
  await using provider = await connected(answers);
  const all = await gather(provider.model, asks("go"));
  return { error: only(all, "failed").error, tries: provider.fake.requests.length };
}

describe("refusals", () => {
  test("H15: a 400 is never asked again unchanged", async () => {
    const { error, tries } = await failedWith([refuses(400, { message: "content must not be empty" })]);
    expect(tries).toBe(1);
    expect(error).toMatchObject({ code: "model_refused", retryable: false });
    expect(error.facts).toMatchObject({ status: 400, detail: "content must not be empty" });
  });

  test.each([
    [401, {}, "model_auth"],
    [403, {}, "model_auth"],
    [402, {}, "model_auth"],
    [404, { message: "no such model" }, "model_refused"],
    [413, {}, "context_length"],
    [422, {}, "model_refused"],
    [429, { code: "insufficient_quota" }, "model_auth"],
    [400, { code: "context_length_exceeded" }, "context_length"],
    [400, { message: "prompt is too long: 210000 tokens > 200000 maximum" }, "context_length"],
    [400, { message: "the request exceeds the available context size" }, "context_length"],
    [422, { message: "the input is too long for this model" }, "context_length"],
    [403, { message: "the key may not use a context window of that size" }, "model_auth"],
    [404, { message: "no model with that context window" }, "model_refused"],
    [
      429,
      { message: "Request too large for m on tokens per min (TPM): Limit 10, Requested 20" },
      "context_length",
    ],
  ])("%d with %j is final and is %s", async (status, error, code) => {
    const failed = await failedWith([refuses(status, error)]);
    expect(failed).toMatchObject({ tries: 1, error: { code, retryable: false } });
  });

  test("no key leaves with an error, whole or in part, nor with the sentence for people", async () => {
    const message = `Incorrect API key provided: ${KEY}. Header was Bearer ${KEY}; see sk-te*****cdef`;
    const { error } = await failedWith([refuses(401, { message, code: "invalid_api_key" })]);
    const everything = JSON.stringify([
      error.message,
      error.facts,
      error.stack,
      error.cause,
      sentenceFor(error),
    ]);
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain("sk-te");
    expect(error.facts["detail"]).toContain("Incorrect API key");
  });

  test("what is wrong is read from a body without `error`, and from an `error` that is only words", async () => {
    for (const body of [{ message: "no such model" }, { error: "no such model" }]) {
      const { error } = await failedWith([(exchange) => exchange.json(404, JSON.stringify(body))]);
      expect([error.code, error.facts["detail"]]).toEqual([
        "model_refused",
        expect.stringContaining("no such model"),
      ]);
    }
  });

  test("a page, an empty body and a book as an error are still one short error", async () => {
    for (const body of ["<html>nginx</html>", "", "x".repeat(1_000_000)]) {
      const { error } = await failedWith([refuses(404, body)]);
      expect(error.code).toBe("model_refused");
      expect(String(error.facts["detail"] ?? "").length).toBeLessThanOrEqual(300);
    }
  });
});

/** How a throttle is told, by gateways too: it passes, and says nothing of the length of a thread. */
const TOO_MANY_TOKENS = "Too many tokens, please wait before trying again.";
const told = (error: object): FakeAnswer => events({ error: { message: TOO_MANY_TOKENS, ...error } });

describe("what may pass", () => {
  test.each([
    ["429", refuses(429), "model_rate_limited"],
    ["W5: 429 of too many tokens", refuses(429, { message: TOO_MANY_TOKENS }), "model_rate_limited"],
    ["the same as an object with its code in a stream", told({ code: 429 }), "model_rate_limited"],
    ["the same in words alone", told({}), "model_rate_limited"],
    [
      "a throttle that comes as a 400",
      refuses(400, { message: `ThrottlingException: ${TOO_MANY_TOKENS}` }),
      "model_rate_limited",
    ],
    ["500", refuses(500), "model_unavailable"],
    ["503 with a page", refuses(503, "<html>busy</html>"), "model_unavailable"],
    ["a hang-up without an answer", hangsUp(), "model_unavailable"],
    ["a cut in the middle", eventsThenCut(delta({ content: "so" })), "model_unavailable"],
    ["a reset in the middle", eventsThenReset(delta({ content: "so" })), "model_unavailable"],
    ["JSON that is none", bytes(['data: {"choices": nonsense}\n\n']), "model_garbage"],
    ["a page with 200", bytes(["<html>sign in</html>"], "text/html"), "model_garbage"],
    ["a JSON body that is no reply", bytes(["{}"], "application/json"), "model_garbage"],
    ["half a JSON body", bytes(['{"choices":[{"mess'], "application/json"), "model_garbage"],
    ["an empty body", bytes([]), "model_cut"],
  ])("%s is tried again, and named after the last try", async (_, answer, code) => {
    await using provider = await connected([answer, says("ok")]);
    const all = await gather(provider.model, asks("go"));
    expect(only(all, "done").text).toBe("ok");
    expect(only(all, "again").why).not.toBe("");
    const { error, tries } = await failedWith([answer, answer, answer]);
    expect(error).toMatchObject({ code, retryable: true });
    expect(tries).toBe(3);
  });

  test("every try sends the same bytes", async () => {
    await using provider = await connected([refuses(500), refuses(429), says("ok")]);
    await gather(provider.model, asks("go"));
    const [first, ...others] = provider.fake.requests.map((request) => request.raw.toString());
    expect(others).toEqual([first, first]);
  });

  test("a server that says not to retry is obeyed", async () => {
    const { tries } = await failedWith([refuses(500, {}, { "x-should-retry": "false" })]);
    expect(tries).toBe(1);
  });

  test("a refused connection is unavailable, and names no address or key", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await using provider = await connected([], { baseUrl: `http://127.0.0.1:${port}/v1` });
    const { error } = only(await gather(provider.model, asks("go")), "failed");
    expect(error).toMatchObject({
      code: "model_unavailable",
      retryable: true,
      facts: { network: "ECONNREFUSED" },
    });
  });
});

describe("waiting", () => {
  test("a wait that the provider asks for is kept to", async () => {
    const clock = manualClock();
    await using provider = await connected([refuses(429, {}, { "retry-after": "7" }), says("ok")], { clock });
    const all = gather(provider.model, asks("go"));
    await until(() => provider.fake.requests.length === 1 && provider.fake.open === 0, {
      what: "the refusal is out",
    });
    await until(() => clock.waiting === 1, { what: "only the pause waits" });
    await clock.advance(6_999);
    expect(provider.fake.requests).toHaveLength(1);
    await clock.advance(1);
    expect(only(await all, "done").text).toBe("ok");
  });

  test("a wait that is too long is not begun: the failure says how long it is", async () => {
    const { error, tries } = await failedWith([refuses(429, {}, { "retry-after": "3600" })]);
    expect(tries).toBe(1);
    expect(error).toMatchObject({
      code: "model_rate_limited",
      retryable: true,
      facts: { retryAfterMs: 3_600_000 },
    });
  });

  test("waits grow, and an abort ends one at once", async () => {
    const clock = manualClock();
    await using provider = await connected([refuses(500), refuses(500)], { clock, backoffMs: 1_000 });
    const abort = new AbortController();
    const all = gather(provider.model, asks("go"), abort.signal);
    const isPausing = (tries: number): Promise<unknown> =>
      until(
        async () => {
          await clock.advance(0);
          return provider.fake.requests.length === tries && provider.fake.open === 0 && clock.waiting === 1;
        },
        { what: `the pause after try ${tries} has begun` },
      );
    await isPausing(1);
    await clock.advance(750);
    await isPausing(2);
    await clock.advance(1_400);
    expect(provider.fake.requests).toHaveLength(2);
    abort.abort();
    expect((await all).at(-1)).toEqual({ kind: "aborted" });
    expect(clock.waiting).toBe(0);
  });

  test("a provider that takes the request and never answers costs one limit and not three", async () => {
    const clock = manualClock();
    await using provider = await connected([staysSilent()], { clock, dataIdleMs: 30_000 });
    const all = gather(provider.model, asks("go"));
    await until(() => provider.fake.open === 1, { what: "the request is there" });
    await clock.advance(30_000);
    const { error } = only(await all, "failed");
    expect(error).toMatchObject({ code: "model_timeout", retryable: true, facts: { phase: "answer" } });
    await until(() => provider.fake.open === 0, { what: "the connection is closed" });
  });

  test("a connection that is never made is tried again within its own limit", async () => {
    const clock = manualClock();
    // TLS to a server that speaks nothing: the connection stands, the handshake never ends.
    const mute = createServer((socket) => void socket.on("error", () => undefined).resume());
    let accepted = 0;
    mute.on("connection", () => accepted++);
    await new Promise<void>((resolve) => void mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as AddressInfo;
    const baseUrl = `https://127.0.0.1:${port}/v1`;
    const options = { clock, connectMs: 5_000, backoffMs: 10, maxAttempts: 2, baseUrl };
    await using provider = await connected([], options);
    const all = gather(provider.model, asks("go"));
    await until(() => accepted === 1, { what: "the first connection is there" });
    await clock.advance(5_000);
    // No faster than real time, in which the second connection is made.
    await until(async () => (await clock.advance(10), accepted === 2), { what: "it is tried again" });
    await clock.advance(5_000);
    expect(only(await all, "failed").error).toMatchObject({
      code: "model_timeout",
      facts: { phase: "connect" },
    });
    expect(accepted).toBe(2);
    await new Promise((resolve) => mute.close(resolve));
  });
});

describe("connections", () => {
  test("a connection serves again after a whole reply", async () => {
    await using provider = await connected();
    await until(
      async () => {
        await gather(provider.model, asks("go"));
        return provider.fake.connections < provider.fake.requests.length;
      },
      { what: "a request came over a connection that had served before" },
    );
  });

  test("each try sends the same bytes and says how many: some servers take no body of unknown length", async () => {
    await using provider = await connected([bytes([]), says("ok")]);
    await gather(provider.model, asks("go".repeat(50_000)));
    const [first, second] = provider.fake.requests;
    expect(second?.raw.toString()).toBe(first?.raw.toString());
    for (const request of provider.fake.requests) {
      expect(request.headers["content-length"]).toBe(`${request.raw.length}`);
      expect(request.headers["transfer-encoding"]).toBeUndefined();
    }
    expect(provider.fake.requests).toHaveLength(2);
  });

  test("usage that was reported before an abort is told", async () => {
    await using provider = await connected([
      async (exchange) => {
        const usage = { prompt_tokens: 9, completion_tokens: 1 };
        await exchange.event({ ...(delta({ content: "so" }) as object), usage });
        await exchange.closed;
      },
    ]);
    const abort = new AbortController();
    const kinds: string[] = [];
    for await (const event of provider.model.stream(asks("go"), abort.signal)) {
      kinds.push(event.kind);
      if (event.kind === "text") abort.abort();
    }
    expect(kinds).toEqual(["sent", "text", "usage", "aborted"]);
  });

  test("fifty streams at once stay apart", async () => {
    await using provider = await connected();
    const talk = createTalker();
    const allThere = Promise.withResolvers<void>();
    provider.fake.respondWith(async (exchange) => {
      if (provider.fake.open === 50) allThere.resolve();
      await allThere.promise;
      await talk(exchange);
    });
    const texts = Array.from({ length: 50 }, (_, at) => `thread ${at} speaks`);
    const all = await Promise.all(texts.map((text) => gather(provider.model, asks(text))));
    expect(all.map((each) => only(each, "done").text)).toEqual(texts.map((text) => `You said: ${text}`));
    expect(provider.fake.mostOpen).toBe(50);
  });

  test("options that are out of range are refused by name", async () => {
    for (const name of [
      "connectMs",
      "idleMs",
      "dataIdleMs",
      "maxAttempts",
      "backoffMs",
      "maxBackoffMs",
    ] as const) {
      for (const value of [0, -1, NaN]) await expect(connected([], { [name]: value })).rejects.toThrow(name);
    }
    await expect(connected([], { baseUrl: "nowhere" })).rejects.toThrow("baseUrl");
  });

  test("the end of an answer that never closes its body does not hold the reply back", async () => {
    await using provider = await connected([
      async (exchange) => {
        await exchange.event(delta({ content: "ok" }, "stop"));
        await exchange.event("[DONE]");
        await exchange.closed;
      },
    ]);
    expect(only(await gather(provider.model, asks("go")), "done").text).toBe("ok");
    await until(() => provider.fake.open === 0, { what: "the connection is given up" });
  });
});

test("events that are empty and strange are no reply and no crash", async () => {
  const odd = events(
    null,
    [],
    1,
    "x",
    { choices: [null] },
    { choices: [{ delta: { content: 5, tool_calls: "x" } }] },
  );
  const { error } = await failedWith([odd, odd, odd]);
  expect(error.code).toBe("model_cut");
});
