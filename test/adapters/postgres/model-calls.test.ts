import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ModelCallRecord } from "../../../src/core/round.ts";
import { running } from "../../contract/run-store-subject.ts";
import { answer, lines, modelCall, result, round } from "../../contract/store-samples.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

for (const { name, sql } of [postgresBackend(), pgliteBackend()]) {
  test(`${name}: a stored model call has every byte of what shaped the request, and exactly the entries that were sent`, async () => {
    const stores = storesOver(sql());
    const { fence, session, tail } = await running(stores, "one", "two");
    const arguments_ = '{"b": 1,\n "a": [1.0, 1e3], "ü": "\\ud83d\\ude42"}';
    const calls = [{ id: "c1", name: "clock", arguments: arguments_ }];
    await stores.store.commitRound(fence, round(1, answer("", calls), result("c1", "12:00")));
    const text = (what: string) => `{"z":1,"a":"${what}","big":12345678901234567890, "x" : 1.50}`;
    const blob = (what: string) => ({
      hash: createHash("sha256").update(text(what)).digest("hex"),
      text: text(what),
    });
    const call: ModelCallRecord = {
      ...modelCall(`${session}-call`),
      round: 2,
      prompt: blob("prompt"),
      tools: blob("tools"),
      firstSeq: tail[0]?.seq ?? 0,
      lastSeq: 1_000,
      excluded: [tail[1]?.seq ?? 0],
      params: text("params"),
      bodyHash: "abc",
      usage: [
        {
          model: "m",
          provider: "p",
          durationMs: 10.25,
          firstTokenMs: 2.5,
          tokensPerSecond: 33.3,
          input: 1,
          cacheRead: 2,
          cacheWrite: 0,
          output: 4,
          reasoning: 5,
          cost: 0.000_001,
        },
        { model: "m", durationMs: 1 },
      ],
      outcome: "failed",
      error: "model_cut",
    };
    await stores.store.commitRound(fence, { ...round(2, answer("done")), modelCalls: [call] });
    const stored = await stores.calls.read(call.id);
    expect(stored?.call).toEqual(call);
    expect(lines(stored?.entries ?? [])).toEqual([
      "user: one",
      "bot calls: c1",
      "tool c1: 12:00",
      "bot: done",
    ]);
    expect(stored?.entries[1]?.body).toEqual(answer("", calls));
    expect(await stores.calls.list(fence.run)).toEqual([call.id]);
    expect(await stores.calls.read("unknown")).toBe(undefined);
  });

  test(`${name}: T10: a full result is kept beside the capped copy, whole up to a megabyte, and a longer one on a whole character`, async () => {
    const stores = storesOver(sql());
    const { fence, session } = await running(stores, "one");
    const long = "🙂".repeat(300_000);
    await stores.store.commitRound(fence, {
      ...round(1, answer("", [{ id: "c1", name: "clock", arguments: "{}" }]), result("c1", "capped")),
      results: [
        { call: "c1", name: "clock", ok: true, content: "x".repeat(1_000_000) },
        { call: "c2", name: "clock", ok: false, content: long },
      ],
    });
    const kept = await sql().query<{ call: string; ok: boolean; content: string }>(
      { text: "select call, ok, content from tool_results where run = $1 order by call" },
      [fence.run],
    );
    expect(kept.map((row) => [row.call, row.ok, Buffer.byteLength(row.content)])).toEqual([
      ["c1", true, 1_000_000],
      ["c2", false, 1_000_000],
    ]);
    expect(kept[1]?.content).toBe("🙂".repeat(250_000));
    expect(lines(await stores.transcripts.entries(session)).at(-1)).toBe("tool c1: capped");
  });
}
