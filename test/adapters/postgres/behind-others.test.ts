// Dear questions of admins stand behind what people wait for.
import { describe, expect, test } from "vitest";
import { behindOthers } from "../../../src/adapters/postgres/admin/behind-others.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";

describe.each([postgresBackend(), pgliteBackend()])("$name", (backend) => {
  test("of many questions at once two are asked, eight wait, and the others are told so", async () => {
    const sql = behindOthers(backend.sql());
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        sql.query<{ n: number }>({ text: "select $1::integer as n" }, [n]),
      ),
    );
    expect(answers.slice(0, 10).map((each) => each.status === "fulfilled" && each.value[0]?.n)).toEqual(
      Array.from({ length: 10 }, (_, n) => n),
    );
    for (const each of answers.slice(10))
      expect(each).toMatchObject({ status: "rejected", reason: { name: "TooBusy" } });
    // A question that fails gives its turn back.
    for (let n = 0; n < 4; n++) await expect(sql.query({ text: "select 1 / 0" })).rejects.toThrow("zero");
    expect(await sql.query({ text: "select 1 as one" })).toEqual([{ one: 1 }]);
  });
});

test("a statement may take five seconds", async () => {
  const asked: string[] = [];
  const sql = behindOthers({
    query: () => Promise.reject(new Error("beside the transaction")),
    transaction: (body) =>
      body({
        query: ({ text }) => {
          asked.push(text);
          if (text.includes("set_config")) return Promise.resolve([]);
          return Promise.reject(Object.assign(new Error("canceling statement"), { code: "57014" }));
        },
        transaction: () => Promise.reject(new Error("nested")),
        close: () => Promise.resolve(),
      }),
    close: () => Promise.resolve(),
  });
  await expect(sql.query({ text: "select 1" })).rejects.toMatchObject({ name: "TooBusy" });
  expect(asked).toEqual([
    expect.stringContaining("set_config('statement_timeout', '5000', true)"),
    "select 1",
  ]);
});
