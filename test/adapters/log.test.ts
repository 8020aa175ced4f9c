import { expect, test } from "vitest";
import { createLog, type LogOptions } from "../../src/adapters/log.ts";
import { BobbinError } from "../../src/core/errors.ts";

function open(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) }, { level: "debug", secrets: [], ...options });
  const last = () => JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>;
  return { log, lines, last };
}

test("a line is one JSON object with level, time, message and facts", () => {
  const { log, lines, last } = open();
  log.with({ session: "web:local:a" }).info("run ended", { rounds: 2 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/\n$/);
  expect(last()).toMatchObject({ level: "info", msg: "run ended", session: "web:local:a", rounds: 2 });
  expect(Date.parse(String(last()["time"]))).not.toBeNaN();
});

test("less than the level is not written", () => {
  const { log, lines } = open({ level: "warn" });
  log.info("quiet");
  log.warn("loud");
  expect(lines).toHaveLength(1);
});

test("S7: a known secret is masked wherever it stands, also in the address of a transport error", () => {
  const secret = "hunter2-hunter2";
  const { log, lines, last } = open({ secrets: [secret] });
  const sent = new Error(`request to https://api.example/bot${secret}/send failed`);
  const cause = new Error(`connect to postgres://me:${secret}@db failed`, { cause: sent });
  const facts = {
    plain: secret,
    nested: { list: [`x${secret}y`], [secret]: 1 },
    url: `https://example.org/?q=${encodeURIComponent(secret)}`,
    basic: Buffer.from(`bobbin:${secret}`).toString("base64"),
    error: new BobbinError("store_unavailable", `it was ${secret}`, { cause, facts: { at: secret } }),
  };
  log.with({ bound: secret }).error(`message with ${secret}`, facts);
  expect(lines.join("")).not.toContain(secret);
  expect(lines.join("")).not.toContain(Buffer.from(secret).toString("base64").slice(4, 16));
  expect(last()).toMatchObject({ error: { name: "BobbinError", code: "store_unavailable" } });
});

test("an error is written with code, facts and causes, and without what libraries hang on it", () => {
  const { log, lines, last } = open();
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const error = Object.assign(
    new BobbinError("model_unavailable", "no answer", { facts: { tries: 3 }, cause: refused }),
    {
      request: { headers: { cookie: "session=abc" } },
    },
  );
  log.error("model call failed", { error });
  expect(last()["error"]).toMatchObject({
    message: "no answer",
    code: "model_unavailable",
    facts: { tries: 3 },
    cause: { message: "connect ECONNREFUSED", code: "ECONNREFUSED" },
  });
  expect(lines.join("")).not.toContain("cookie");
});

test("nothing that is given makes it throw", () => {
  const { log, lines } = open();
  const circle: Record<string, unknown> = {
    n: 10n,
    f: () => 1,
    s: Symbol("s"),
    u: undefined,
    d: new Date(Number.NaN),
  };
  circle["self"] = circle;
  Object.defineProperty(circle, "trap", { enumerable: true, get: () => expect.unreachable() });
  log.info("hostile", { circle, level: "fact", msg: "fact", time: "fact", lone: "\ud800" });
  log.info("null", { error: null, map: new Map([["a", new Set([1])]]), bytes: new Uint8Array(3) });
  log.info("trap", Object.defineProperty({}, "trap", { enumerable: true, get: () => expect.unreachable() }));
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test("on a terminal a line is for reading, and masked as well", () => {
  const { log, lines } = open({ form: "text", secrets: ["hunter2-hunter2"] });
  log.warn("Redis does not answer", { url: "redis://:hunter2-hunter2@h", tries: 2, why: "two words" });
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d warn {2}Redis does not answer url=redis:\/\/:\*\*\*@h tries=2 why="two words"\n$/,
  );
});
