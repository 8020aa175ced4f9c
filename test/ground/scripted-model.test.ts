import { expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../src/core/ports/model.ts";
import {
  computed,
  hangs,
  reply,
  scriptedModel,
  scriptedRecord,
  type ScriptedModel,
} from "../support/scripted-model.ts";

const request: ModelRequest = {
  model: scriptedRecord,
  system: "",
  messages: [{ role: "user", content: [{ kind: "text", text: "hi" }] }],
  tools: [],
  outputTokens: 10,
  cacheSystem: false,
};

async function stream(model: ScriptedModel, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

test("the scripted model plays one step per call and keeps frozen copies of the requests", async () => {
  const model = scriptedModel(reply("one"), reply("two"));
  expect((await stream(model)).at(-1)).toMatchObject({ kind: "done", text: "one" });
  expect((await stream(model)).at(-1)).toMatchObject({ kind: "done", text: "two" });
  expect(model.requests).toEqual([request, request]);
  expect(Object.isFrozen(model.requests[0]?.messages[0])).toBe(true);
  model.assertComplete();
});

test("the scripted model fails a call that the script does not know, and a script that was not played", async () => {
  const empty = scriptedModel();
  expect((await stream(empty)).at(-1)).toMatchObject({ kind: "failed" });
  expect(() => empty.assertComplete()).toThrow("1 calls were not expected");
  expect(() => scriptedModel(reply("x")).assertComplete()).toThrow("1 steps were not used");
});

test("the scripted model can answer what it was asked", async () => {
  const model = scriptedModel(computed(({ messages }) => reply(`${messages.length} messages`)));
  expect((await stream(model)).at(-1)).toMatchObject({ kind: "done", text: "1 messages" });
});

test("the scripted model hangs until the abort and then ends with aborted", async () => {
  const model = scriptedModel(hangs("half"));
  const controller = new AbortController();
  const events = stream(model, controller.signal);
  await model.reached(1);
  controller.abort();
  expect((await events).map(({ kind }) => kind)).toEqual(["sent", "text", "aborted"]);
});
