import { describe, expect, it } from "vitest";
import type { Entry, EntryBody } from "../../../src/core/entry.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { concluded, documentOf, reduce, type ReplyDocument } from "../../../src/core/reply/document.ts";
import { render, statusOf } from "../../../src/core/reply/render.ts";
import { STEPS_ROOM } from "../../../src/core/reply/step-lines.ts";
import { DEFAULT_VIEW, type ReplyView } from "../../../src/core/reply/view.ts";
import type { Usage } from "../../../src/core/usage.ts";
import { replyBench, roundOf, runNamed, stopped, thumbsOf } from "../../support/reply-bench.ts";

const run = runNamed("r1");
const limits = { pageSize: 1000, measure: (text: string) => text.length };
const start: RunEvent = { kind: "round", round: 1, state: "start" };
const call = (id: string, name: string, given = "{}"): RunEvent => ({
  kind: "tool_call",
  call: { id, name, arguments: given },
});
const result = (id: string, name: string, ok = true): RunEvent => ({
  kind: "tool_result",
  result: { call: id, name, ok, content: "x", modelContent: "x" },
});
const after = (...events: readonly RunEvent[]): ReplyDocument => events.reduce(reduce, documentOf(run, []));
const doing: NonNullable<ReplyView["doing"]> = (tool, count) =>
  ({ read_page: count === 1 ? "Reading a page" : `Reading ${count} pages`, look: "Looking at the clock" })[
    tool
  ];

/** A round as it is stored: two pages, one of which could not be read, in one go. */
const bodies: readonly EntryBody[] = [
  {
    v: 1,
    kind: "assistant",
    text: "",
    calls: [
      { id: "1", name: "read_page", arguments: '{"url":"https://a.example"}' },
      { id: "2", name: "read_page", arguments: '{"url":"https://b.example"}' },
    ],
  },
  { v: 1, kind: "tool", call: "1", name: "read_page", ok: true, content: "x", durationMs: 4_000 },
  { v: 1, kind: "tool", call: "2", name: "read_page", ok: false, content: "x", durationMs: 1_500 },
];
const entries = bodies.map((body, index): Entry => ({
  seq: index + 1,
  epoch: 1,
  run: run.id,
  round: 1,
  body,
}));
const answer: Entry = {
  seq: 9,
  epoch: 1,
  run: run.id,
  round: 2,
  body: { v: 1, kind: "assistant", text: "Both say so.", calls: [] },
};

describe("the steps of a run", () => {
  it("are one line in the tools' own words while they run, never a name or what was given", () => {
    const three = after(start, call("1", "read_page"), call("2", "read_page"), call("3", "read_page"));
    expect(statusOf(three, doing)).toBe("Reading 3 pages");
    // One that is answered is no reason to write the line anew.
    expect(statusOf(reduce(three, result("1", "read_page")), doing)).toBe("Reading 3 pages");
    expect(statusOf(reduce(three, call("4", "look")), doing)).toBe("Reading 3 pages, looking at the clock");
    expect(statusOf(reduce(reduce(three, call("4", "look")), call("5", "secret_tool")), doing)).toBe(
      "Reading 3 pages, looking at the clock and 1 more",
    );
    expect(statusOf(after(start, call("1", "secret_tool", '{"key":"v"}')), doing)).toBe("Using a tool");
    expect(statusOf(after(start, call("1", "a"), call("2", "b")))).toBe("Using 2 tools");
    expect(statusOf(after(start, call("1", "look"), result("1", "look")), doing)).toBe("Thinking");
  });

  it("are folded into the footer at the end, the same from events as from what is stored", () => {
    const done: RunEvent = { kind: "round", round: 1, state: "done", entries: bodies };
    const events = [
      start,
      call("1", "read_page"),
      call("2", "read_page"),
      result("1", "read_page"),
      result("2", "read_page", false),
      done,
    ];
    const live = concluded(after(...events, ...roundOf(2, "Both say so.")), stopped);
    const stored = documentOf(run, [...entries, answer], stopped);
    for (const document of [live, stored]) {
      expect(render(document, limits)).toEqual([
        {
          markdown: "Both say so.",
          footer: "2 steps · 12 s",
          buttons: [{ action: "details", label: "Details", value: "r1" }, ...thumbsOf("r1")],
        },
      ]);
    }
    expect(live.steps).toEqual(stored.steps);
  });

  it("stand each in a line where a channel wants to see them, and with what they were given where it wants all", () => {
    const document = { ...documentOf(run, [...entries, answer], stopped) };
    const [steps] = render(document, limits, { ...DEFAULT_VIEW, verbosity: "steps", doing });
    expect(steps?.steps).toEqual([
      { id: "step-1", line: "Reading a page · 4 s", state: "done" },
      { id: "step-2", line: "Reading a page · failed · 1.5 s", state: "failed" },
    ]);
    const [full] = render(document, limits, { ...DEFAULT_VIEW, verbosity: "full", doing });
    expect(full?.steps?.map(({ line }) => line)).toEqual([
      'Reading a page (read_page {"url":"https://a.example"}) · 4 s',
      'Reading a page (read_page {"url":"https://b.example"}) · failed · 1.5 s',
    ]);
    const [quiet] = render(document, limits, { ...DEFAULT_VIEW, doing });
    expect(quiet?.steps).toBe(undefined);
  });

  it("tell where a channel wants to see them what a tool says of itself, and what was given only once it was stored", () => {
    const view: ReplyView = { ...DEFAULT_VIEW, verbosity: "full", doing };
    const running = after(start, call("1", "read_page", '{"url":"https://a.example?key=s3cret"}'), {
      kind: "tool_progress",
      call: "1",
      text: "page 2\nof 9",
    });
    const [page] = render(running, limits, view);
    expect(page).toMatchObject({
      status: "Reading a page",
      steps: [{ line: "Reading a page (read_page) · page 2 of 9", state: "running" }],
    });
  });

  it("never take more room than is kept for them, and the newest of many are shown", () => {
    const long = '{"q":"' + "long ".repeat(60) + '"}';
    const many = Array.from({ length: 30 }, (_, n) =>
      call(String(n), n % 2 === 0 ? "read_page" : "look", long),
    );
    const stored: EntryBody = {
      v: 1,
      kind: "assistant",
      text: "",
      calls: many.flatMap((event) => (event.kind === "tool_call" ? [event.call] : [])),
    };
    const document = after(start, ...many, { kind: "round", round: 1, state: "done", entries: [stored] });
    for (const verbosity of ["steps", "full"] as const) {
      const [page] = render(document, limits, { ...DEFAULT_VIEW, verbosity, doing });
      const lines = (page?.steps ?? []).map(({ line }) => line);
      expect(lines.join("\n").length).toBeLessThanOrEqual(STEPS_ROOM);
      expect(lines[0]).toMatch(/^\d+ earlier steps$/);
      expect(lines.at(-1)).toMatch(/^Looking at the clock/);
    }
  });

  it("move no cut between pages when another one comes", () => {
    const view: ReplyView = { ...DEFAULT_VIEW, verbosity: "steps", doing };
    const said = after(start, { kind: "text", text: "word ".repeat(300) });
    const first = render(said, limits, view).slice(0, -1);
    const later = render(reduce(said, call("1", "look")), limits, view);
    expect(first.length).toBeGreaterThan(1);
    expect(later.slice(0, first.length)).toEqual(first);
  });
});

describe("the footer of a reply", () => {
  const footer = (usage: Usage, detail: ReplyView["footer"]): string | undefined =>
    render({ ...documentOf(run, [answer], stopped), usage, model: "small-1" }, limits, {
      ...DEFAULT_VIEW,
      footer: detail,
    })[0]?.footer;

  it("says as much as the channel wants, and leaves out what was not reported", () => {
    const usage = { input: 250, cacheRead: 750, output: 200, cost: 0.013 };
    expect(footer(usage, "full")).toBe("12 s · 1,200 tokens (75 % cached) · $0.013 · small-1");
    expect(footer(usage, "short")).toBe("12 s · 1,200 tokens · $0.013");
    expect(footer(usage, "off")).toBe(undefined);
    expect(footer({ input: 1000, output: 200 }, "full")).toBe("12 s · 1,200 tokens · small-1");
    expect(footer({ input: 1000, cacheRead: 0, output: 200 }, "full")).toBe(
      "12 s · 1,200 tokens (0 % cached) · small-1",
    );
    expect(footer({}, "full")).toBe("12 s · small-1");
  });

  it("still says why a reply ended early where the channel wants no footer", () => {
    const early = documentOf(run, [answer], { ...stopped, reason: "max_turns" });
    const [page] = render(early, limits, { ...DEFAULT_VIEW, footer: "off" });
    expect(page?.footer).toBe(
      "This took as many steps as one answer may take. Reply to go on from here (run r1).",
    );
  });
});

describe("a step that takes long", () => {
  it("is told with its time, ever more rarely", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer({ view: { ...DEFAULT_VIEW, doing } });
    for (const event of [start, call("1", "look")]) reply.on(event);
    await clock.advance(4_900);
    expect(thread.visible()[0]?.status).toBe("Looking at the clock");
    const before = thread.writes.length;
    await clock.advance(300);
    expect(thread.visible()[0]?.status).toBe("Looking at the clock · 5 s");
    await clock.advance(75_000);
    expect(thread.visible()[0]?.status).toBe("Looking at the clock · 1 min 20 s");
    expect(thread.writes.length - before).toBe(5);
    reply.on(result("1", "look"));
    await clock.advance(2_000);
    expect(thread.visible()[0]?.status).toBe("Thinking");
    await reply.stop();
  });

  it("costs a quick run no write more", async () => {
    const { clock, thread, writer } = replyBench();
    const reply = writer({ view: { ...DEFAULT_VIEW, doing } });
    for (const event of [start, call("1", "look")]) reply.on(event);
    await clock.advance(3_000);
    for (const event of [result("1", "look"), ...roundOf(2, "Noon.")]) reply.on(event);
    const settled = reply.settle(stopped);
    await clock.advance(1_000);
    expect(await settled).toEqual({ kind: "settled" });
    // The line, and the answer in its place.
    expect(thread.writes.map(({ kind }) => kind)).toEqual(["post", "edit"]);
    expect(thread.faults).toEqual([]);
  });
});
