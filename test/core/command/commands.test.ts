import { shutDoor } from "../../support/shut-door.ts";
import { memoryFeedback } from "../../support/memory-feedback.ts";
import { noBranching } from "../../support/no-branching.ts";
import { expect, test } from "vitest";
import type { CommandName } from "../../../src/core/command/command.ts";
import { createCommands, type CommandRequest } from "../../../src/core/command/commands.ts";
import { commandOf, COMMANDS } from "../../../src/core/command/table.ts";
import type { InboundId, RunId } from "../../../src/core/ids.ts";
import type { Inbound } from "../../../src/core/inbound.ts";
import type { InboundView, SessionStatus, Transcripts } from "../../../src/core/ports/transcripts.ts";
import type { Receipt } from "../../../src/core/run/intake.ts";
import type { Models } from "../../../src/core/command/models.ts";
import type { ModelRecord } from "../../../src/core/ports/model.ts";
import type { SessionSettings } from "../../../src/core/session-settings.ts";
import { scriptedRecord } from "../../support/scripted-model.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { createMemoryGoals, goalCommands } from "../../support/memory-goals.ts";
import { setGoal } from "../../support/goals.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { accessWith } from "../../support/access.ts";
import { silentLog } from "../../support/silent-log.ts";

const session = "slack:T1:C1:1.1" as SessionId;
const usage = {};
const record = (name: string, thinking: ModelRecord["thinking"]): ModelRecord => ({
  ...scriptedRecord,
  name,
  thinking,
});
const models: Models = { usual: record("plain-1", "none"), listed: [record("deep-2", "effort")] };

/** A thread as the store would tell of it. */
function threadWith(
  state: {
    readonly status?: SessionStatus;
    readonly inbounds?: readonly InboundView[];
    readonly receipt?: Receipt;
    readonly settings?: SessionSettings;
  } = {},
) {
  const stored: Inbound[] = [];
  const transcripts: Transcripts = {
    status: async () => state.status,
    entries: async () => [],
    inbounds: async () => state.inbounds ?? [],
    runs: async () => [],
    recent: async () => [],
    settings: async () => state.settings,
    usage: async () => ({ models: [], last: [] }),
    newestRun: async () => undefined,
    run: async () => undefined,
    runOf: async () => undefined,
  };
  const intake = {
    async receive(inbound: Inbound): Promise<Receipt> {
      stored.push(inbound);
      return state.receipt ?? { kind: "stored", running: true };
    },
  };
  const feedback = memoryFeedback();
  const goals = createMemoryGoals(() => 1);
  const commands = createCommands(
    {
      access: accessWith(),
      goals: goalCommands(goals),
      feedback,
      intake,
      branching: noBranching,
      transcripts,
      models,
      door: shutDoor,
      clock: manualClock(),
      log: silentLog,
    },
    { written: (name) => `@Bobbin ${name}` },
  );
  const ask = (
    name: CommandName,
    { value, ...more }: Partial<CommandRequest> & { readonly value?: string } = {},
  ) =>
    commands.run(commandOf(name, value) ?? { name: "help" }, {
      session,
      author: { id: "U1", name: "Ana" },
      id: "c1" as InboundId,
      at: 1,
      ...more,
    });
  return { ask, stored, goals };
}

function waiting(seq: number, at: number, name: string, parts: readonly string[], files = 0): InboundView {
  return {
    seq,
    state: "waiting",
    inbound: {
      v: 1,
      kind: "message",
      id: `m${seq}` as InboundId,
      session,
      author: { id: name, name },
      at,
      addressed: false,
      message: `m${seq}`,
      parts: [
        ...parts.map((text) => ({ kind: "text", text }) as const),
        ...Array.from(
          { length: files },
          (_, n) => ({ kind: "file", id: `f${n}`, name: "a", mimeType: "b" }) as const,
        ),
      ],
    },
  };
}

const running = (run: string): SessionStatus => ({
  epoch: 1,
  waiting: 0,
  running: { run: run as RunId, startedAt: 0, rounds: 0 },
  entries: 1,
  usage,
});
const failed = (run: string): SessionStatus => ({
  epoch: 1,
  waiting: 0,
  last: { run: run as RunId, outcome: { reason: "timeout", endedAt: 0 } },
  entries: 1,
  usage,
});

test("queue tells what waits, with its place, in the order in which it will be read", async () => {
  const inbounds = [
    waiting(1, 20, "Ben", ["and   one\nmore thing"]),
    waiting(2, 10, "Ana", ["first this"]),
    waiting(3, 30, "Cem", [], 2),
    { ...waiting(4, 5, "Ana", ["already read"]), state: "admitted" as const },
  ];
  const { text } = await threadWith({ inbounds }).ask("queue");
  expect(text.split("\n").slice(-3)).toEqual([
    "1. Ana: first this",
    "2. Ben: and one more thing",
    "3. Cem: (2 files)",
  ]);
});

test("a long queue is shortened, and an empty one is said to be empty", async () => {
  const inbounds = Array.from({ length: 25 }, (_, n) => waiting(n, n, "Ana", [`m${n}`]));
  expect((await threadWith({ inbounds }).ask("queue")).text).toMatch(/20\. Ana: m19\nAnd 5 more\.$/);
  expect((await threadWith().ask("queue")).text).toBe("Nothing waits in this thread.");
});

test("a Stop button that was left standing does not stop the answer that is written today", async () => {
  const thread = threadWith({ status: running("r2") });
  await thread.ask("stop", { run: "r1" as RunId });
  expect(thread.stored).toEqual([]);
  await thread.ask("stop", { run: "r2" as RunId });
  expect(thread.stored).toHaveLength(1);
});

test("a Retry button counts only for the last answer", async () => {
  const thread = threadWith({ status: failed("r2") });
  await thread.ask("retry", { run: "r1" as RunId });
  expect(thread.stored).toEqual([]);
  await thread.ask("retry", { run: "r2" as RunId });
  expect(thread.stored).toHaveLength(1);
});

test("a Stop below an answer that has ended says how the thread's goal stands, which goes on", async () => {
  const thread = threadWith({ status: running("r2") });
  await thread.goals.apply(session, setGoal());
  const { text } = await thread.ask("stop", { run: "r1" as RunId });
  expect(text).toBe("That answer has already ended. The goal is active. `@Bobbin goal pause` holds it up.");
  expect(thread.stored).toEqual([]);
});

test("a stop that comes again says what is so by now: it may have ended, or nothing ran", async () => {
  const again = { receipt: { kind: "duplicate" } } as const;
  expect((await threadWith({ ...again, status: running("r1") }).ask("stop")).text).toBe("Stopping.");
  const ended = threadWith({ ...again, status: failed("r1") });
  expect((await ended.ask("stop")).text).toBe("Nothing is running in this thread.");
});

test("a second delivery of retry is answered like the first, also while what it asked for runs, or when that has ended", async () => {
  const retry: Inbound = {
    v: 1,
    kind: "command",
    command: { name: "retry" },
    id: "c1" as InboundId,
    session,
    author: { id: "U1", name: "Ana" },
    at: 1,
    addressed: false,
  };
  const inbounds: readonly InboundView[] = [{ seq: 1, state: "done", inbound: retry }];
  for (const status of [running("r2"), { ...running("r2"), running: undefined }] as SessionStatus[]) {
    expect((await threadWith({ status, inbounds }).ask("retry")).text).toBe("Trying again.");
    const other = await threadWith({ status, inbounds }).ask("retry", { id: "c2" as InboundId });
    expect(other.text).not.toBe("Trying again.");
  }
});

test("help writes every command as a person writes it on this surface", async () => {
  const { text } = await threadWith().ask("help");
  for (const name of Object.keys(COMMANDS)) expect(text).toContain(`\`@Bobbin ${name}\``);
});

const id = (text: string) => ({ id: text as InboundId });

test("mute `on` pauses the goal of a thread and says so; `off` leaves it where it is, until it is resumed", async () => {
  const { ask } = threadWith();
  await ask("goal", { value: "tidy the wiki", ...id("c1") });
  const said = (await ask("mute", { value: "on", ...id("c2") })).text;
  expect(said).toContain("is quiet in this thread from now on");
  expect(said).toContain("The goal is paused.");
  expect((await ask("mute", { value: "off", ...id("c3") })).text).not.toContain("goal");
  expect((await ask("goal")).text).toContain("The goal is paused.");
  await ask("goal", { value: "resume", ...id("c4") });
  // Delivered again it does not take back what was said since.
  await ask("mute", { value: "on", ...id("c2") });
  expect((await ask("goal")).text).toContain("The goal is active.");
});

test("a mute that was refused pauses nothing, and without a goal nothing is said of one", async () => {
  const { ask } = threadWith({ receipt: { kind: "refused", rule: "mute" } });
  await ask("goal", { value: "tidy the wiki", ...id("c1") });
  await ask("mute", { value: "on", ...id("c2") });
  expect((await ask("goal")).text).toContain("The goal is active.");
  expect((await threadWith().ask("mute", { value: "on" })).text).not.toContain("goal");
});
