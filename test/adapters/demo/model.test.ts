import { describe, expect, test } from "vitest";
import { createDemoModel, demoRecord } from "../../../src/adapters/demo/model.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createTimeTool } from "../../../src/adapters/tools/clock.ts";
import { createEarlierMessagesTool } from "../../../src/adapters/tools/earlier-messages.ts";
import type { Tool } from "../../../src/core/agent/tool.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import type { ModelMessage } from "../../../src/core/ports/model.ts";
import { runContract } from "../../contract/contract.ts";
import { modelContract } from "../../contract/model.ts";
import { asks, gather, only } from "../../support/fake-llm/request.ts";
import { manualClock } from "../../support/manual-clock.ts";

runContract("the demo model", modelContract, () => {
  const { clock, waiting } = countedClock();
  return {
    subject: {
      model: createDemoModel({ clock }, { wordMs: 1, slowWordMs: 20 }),
      endless: asks("slow please"),
      underWay: waiting,
    },
    close: () => Promise.resolve(),
  };
});

const clock = manualClock(Date.UTC(2026, 0, 1, 23, 30));
const said = [
  { id: "m1", speaker: "Ana", isBot: false, text: "the launch is on Friday", at: clock.now() },
  { id: "m2", speaker: "Ben", isBot: false, text: "at noon", at: clock.now() },
];
const tools: readonly Tool[] = [
  createTimeTool({ clock }),
  createEarlierMessagesTool({
    conversation: { read: () => Promise.resolve({ messages: said, isPartial: false }) },
  }),
];
const model = createDemoModel({ clock: createSystemClock() }, { wordMs: 0, slowWordMs: 0 });

const person = (text: string): ModelMessage => ({ role: "user", content: [{ kind: "text", text }] });

/** What is said in the end to a person, with all calls run, as the loop does it. */
async function talk(...messages: readonly ModelMessage[]): Promise<{ text: string; called: string[] }> {
  const history = [...messages];
  const called: string[] = [];
  for (let round = 0; round < 5; round++) {
    const done = only(await gather(model, asks("", { model: demoRecord, messages: history, tools })), "done");
    if (done.calls.length === 0) return { text: done.text, called };
    history.push({ role: "assistant", text: done.text, calls: done.calls });
    for (const call of done.calls) {
      called.push(`${call.name} ${call.arguments}`);
      history.push({ role: "tool", call: call.id, name: call.name, content: await resultOf(call) });
    }
  }
  throw new Error("it calls tools for ever");
}

async function resultOf(call: { readonly id: string; readonly name: string; readonly arguments: string }) {
  const tool = tools.find((each) => each.name === call.name);
  const signal = new AbortController().signal;
  const context = {
    signal,
    session: "web:local:general:k3f9",
    run: "r1",
    call: call.id,
    progress: () => {},
    spent: () => {},
    offer: () => {},
    usage: () => ({}),
  };
  try {
    const result = await tool?.run(tool.parse(JSON.parse(call.arguments)), context);
    return typeof result === "string" ? result : JSON.stringify(result);
  } catch (error) {
    return String(error);
  }
}

describe("the demo model", () => {
  test("says that it is a demo and how to set a key, at the first word of a thread", async () => {
    const { text } = await talk(person("[from Ana (U1)]\nhi there"));
    expect(text).toContain("Ana");
    expect(text).toContain("> hi there");
    for (const words of ["demo", "OPENAI_API_KEY", "MODEL"]) expect(text).toContain(words);
  });

  test("remembers what was said in the thread, by whom, and leaves out the bot's own notes", async () => {
    const { text } = await talk(
      person("[from Ana (U1)]\nmy cat is called Tom"),
      { role: "assistant", text: "nice", calls: [] },
      person(
        "[system note]\nthe previous turn ended\n\n[from Ben (U2)]\nand mine Jerry\n\n[from Ana (U1)]\nso what?",
      ),
    );
    expect(text).toContain("message 3");
    expect(text).toContain("> so what?");
    expect(text).toContain("- Ana: my cat is called Tom");
    expect(text).toContain("- Ben: and mine Jerry");
    expect(text).not.toContain("previous turn");
  });

  test.each([
    ["what time is it in Tokyo?", ['time_in_zone {"zone":"Tokyo"}'], ["Tokyo", "08:30", "Friday"]],
    ["What's the time in New York and Paris", 2, ["18:30", "00:30"]],
    ["what time is it?", ['time_in_zone {"zone":"UTC"}'], ["23:30"]],
    ["time in Atlantis please", 1, ["no time zone or known city"]],
  ])("%j is answered from the clock's tool", async (question, calls, words) => {
    const { text, called } = await talk(person(question));
    if (typeof calls === "number") expect(called).toHaveLength(calls);
    else expect(called).toEqual(calls);
    for (const word of words) expect(text).toContain(word);
  });

  test.each([
    ["what was said earlier?", "thread"],
    ["read the earlier messages of this channel", "channel"],
  ])("%j is answered from earlier messages", async (question, where) => {
    const { text, called } = await talk(person(question));
    expect(called).toEqual([`read_earlier_messages {"where":"${where}","limit":20}`]);
    expect(text).toContain("**Ana**: the launch is on Friday");
    expect(text).toContain("**Ben**: at noon");
  });

  test("does not look at the clock for a nice day or a good time", async () => {
    for (const words of ["have a nice day", "take your time", "it was a good time"]) {
      expect((await talk(person(words))).called).toEqual([]);
    }
  });

  test("calls no tool that it was not given", async () => {
    const done = only(await gather(model, asks("what time is it in Tokyo?", { tools: [] })), "done");
    expect(done.calls).toEqual([]);
  });

  test("shows headings, lists, a table and code when asked for something long", async () => {
    const { text } = await talk(person("give me a long answer"));
    for (const part of [
      /^# /m,
      /^## /m,
      /^1\. /m,
      /^ {3}- /m,
      /^- \[x\] /m,
      /^\| --- /m,
      /^```ts$/m,
      /^> /m,
    ]) {
      expect(text).toMatch(part);
    }
  });

  test("speaks word by word on its clock, and slowly when asked to", async () => {
    const own = manualClock();
    const paced = createDemoModel({ clock: own }, { wordMs: 10, slowWordMs: 500 });
    for (const [words, ms] of [
      ["hello", 10],
      ["slowly", 500],
    ] as const) {
      const abort = new AbortController();
      let heard = 0;
      const reading = (async () => {
        for await (const event of paced.stream(asks(words), abort.signal)) if (event.kind === "text") heard++;
      })();
      await own.advance(ms * 3);
      expect(heard).toBe(3);
      abort.abort();
      await reading;
      expect(own.waiting).toBe(0);
    }
  });
});

/** The real clock, with the number of timers that are set. */
function countedClock(): { clock: Clock; waiting: () => number } {
  const real = createSystemClock();
  let waiting = 0;
  const after = (ms: number, run: () => void): (() => void) => {
    let isSet = true;
    waiting++;
    const end = (): void => {
      if (isSet) waiting--;
      isSet = false;
    };
    const cancel = real.after(ms, () => {
      end();
      run();
    });
    return () => {
      end();
      cancel();
    };
  };
  return { clock: { ...real, after }, waiting: () => waiting };
}
