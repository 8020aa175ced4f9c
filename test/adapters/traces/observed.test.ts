// What spans are called: by what is ours, and by no word of the model's.
import { expect, test } from "vitest";
import { createObserved } from "../../../src/adapters/traces/observed.ts";
import type { Span, Spans } from "../../../src/adapters/traces/spans.ts";
import {
  answer,
  asRun,
  message,
  modelCall,
  newSession,
  result,
  round,
} from "../../contract/store-samples.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { openMemoryLedger } from "../../support/memory-ledger/open.ts";

const TOOLS = { hash: "h1", text: JSON.stringify([{ name: "clock", description: "", schema: {} }]) };

test("a tool that there is names its span, and whatever else the model called is unknown, also after a hand-over", async () => {
  const emitted: Span[] = [];
  const spans: Spans = {
    placeOf: (what, id) => ({ traceId: what, spanId: id }),
    within: (place) => place,
    emit: (span) => void emitted.push(span),
    stop: async () => {},
  };
  const clock = manualClock();
  const { inbox, store: plain } = openMemoryLedger(clock);
  const session = newSession();
  await inbox.put(message(session, "what is the time of the heron?"));

  const calls = ["clock", "heron_of_lisbon"].map((name, at) => ({ id: `c${at}`, name, arguments: "{}" }));
  const results = calls.map(({ id, name }) => ({ ...result(id, "done"), name }));
  const first = createObserved(spans, clock).store(plain);
  const { fence } = asRun(await first.open(session, "w1"));
  const begun = { ...round(1, answer("", calls)), state: "calls" as const };
  await first.commitRound(fence, { ...begun, modelCalls: [modelCall("m1", { tools: TOOLS })] });
  await first.commitRound(fence, round(1, ...results));
  await first.leave(fence, "handed_over");

  const second = createObserved(spans, clock).store(plain);
  const again = asRun(await second.open(session, "w2"));
  const more = calls.map((call) => ({ ...call, id: `${call.id}b` }));
  const ended = round(2, answer("", more), ...more.map(({ id, name }) => ({ ...result(id, "done"), name })));
  await second.commitRound(again.fence, ended);

  const names = emitted.map(({ name }) => name).filter((name) => name.startsWith("execute_tool"));
  expect(names.slice(0, 2)).toEqual(["execute_tool clock", "execute_tool unknown"]);
  expect(names.slice(2)).toEqual(["execute_tool clock", "execute_tool unknown"]);
  expect(JSON.stringify(emitted)).not.toContain("heron");
});
