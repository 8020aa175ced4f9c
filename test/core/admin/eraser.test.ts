// Who erases: what runs is given time to end, and no longer; what another process left is finished; what is held is left alone.
import { expect, test } from "vitest";
import { createEraser, type EraserOptions } from "../../../src/core/admin/eraser.ts";
import type { AuditLine } from "../../../src/core/ports/audit.ts";
import type { Begun, Erasures } from "../../../src/core/ports/erasures.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";

const who = { platform: "slack", space: "T1", person: "UBOSS", name: "Bea" } as const;
const one = "slack:T1:C1:1.1" as SessionId;
const two = "slack:T1:C1:1.2" as SessionId;

function world(
  given: { readonly begun?: Begun; readonly abandoned?: readonly string[] } = {},
  options?: EraserOptions,
) {
  const clock = manualClock();
  const done: string[] = [];
  const lines: AuditLine[] = [];
  const running = new Set<SessionId>();
  const open = new Set<SessionId>([one, two]);
  const failing = new Set<SessionId>();
  /** Of which only reactions go. */
  const harmless = new Set<SessionId>();
  const erasures: Pick<Erasures, "begin" | "left" | "halt" | "isRunning" | "erase" | "finish" | "abandoned"> =
    {
      begin: async () => given.begun ?? { kind: "begun" },
      left: async () => [...open],
      halt: async (_, session) => {
        done.push(`halt ${session}`);
        return !harmless.has(session);
      },
      isRunning: async (session) => running.has(session),
      erase: async (_, session) => {
        if (failing.delete(session)) throw new Error("the store is away");
        done.push(`erase ${session}`);
        open.delete(session);
      },
      finish: async (id) => void done.push(`finish ${id}`),
      abandoned: async () => given.abandoned ?? [],
    };
  const eraser = createEraser(
    {
      erasures: erasures as Erasures,
      audit: { write: async (line) => void lines.push(line), list: async () => [] },
      stops: { signal: async (session) => void done.push(`signal ${session}`) },
      queue: { wake: async (session) => void done.push(`wake ${session}`) },
      clock,
      newId: () => "e1",
      log: silentLog,
    },
    options,
  );
  return { eraser, clock, done, lines, running, failing, harmless };
}

const steps = (session: SessionId): readonly string[] =>
  ["halt", "signal", "erase", "wake"].map((what) => `${what} ${session}`);

test("each thread is stopped, erased, and rung for, and what is asked is written down before", async () => {
  const { eraser, done, lines } = world();
  expect(await eraser.erase({ kind: "person", subject: "UANA" }, "words of the reason", who)).toEqual({
    kind: "begun",
    id: "e1",
  });
  await eraser.done("e1");
  expect(done).toEqual([...steps(one), ...steps(two), "finish e1"]);
  expect(lines).toEqual([{ who, kind: "erase", about: "person UANA, erasure e1" }]);
  await eraser.stop();
});

test("where only reactions go, what runs is neither stopped nor waited for", async () => {
  const { eraser, done, running, harmless } = world();
  running.add(one);
  harmless.add(one);
  await eraser.erase({ kind: "person", subject: "UANA" }, "r", who);
  await eraser.done("e1");
  expect(done.slice(0, 3)).toEqual(["halt", "erase", "wake"].map((what) => `${what} ${one}`));
  await eraser.stop();
});

test.each<[string, Begun, string]>([
  [
    "is held",
    { kind: "held", hold: { id: "h1", kind: "space", subject: "T1", reason: "case 9", name: "Cyd", at: 1 } },
    "held by hold h1",
  ],
  ["is not there", { kind: "nothing" }, "nothing of it is stored"],
])("of what %s a second line says that nothing was erased, and why", async (_, begun, why) => {
  const { eraser, done, lines } = world({ begun });
  expect(await eraser.erase({ kind: "thread", subject: one }, "words of the reason", who)).toEqual(begun);
  expect(done).toEqual([]);
  expect(lines).toEqual([
    { who, kind: "erase", session: one, about: `thread ${one}, erasure e1` },
    { who, kind: "refused", session: one, about: `erasure e1: ${why}` },
  ]);
  await eraser.stop();
});

test("a run may end by itself, and is waited for no longer than that", async () => {
  const { eraser, clock, done, running } = world({}, { endsWithinMs: 1_000 });
  running.add(one);
  running.add(two);
  await eraser.erase({ kind: "thread", subject: one }, "r", who);
  await until(() => done.includes(`signal ${one}`), { what: "the first is told to stop" });
  await clock.advance(300);
  expect(done).not.toContain(`erase ${one}`);
  running.delete(one);
  await clock.advance(100);
  await until(() => done.includes(`signal ${two}`), { what: "the second is told to stop" });
  expect(done).toContain(`erase ${one}`);
  // This one never ends: the fence shuts it out.
  for (let n = 0; n < 12; n++) await clock.advance(100);
  await eraser.done("e1");
  expect(done.at(-1)).toBe("finish e1");
  await eraser.stop();
});

test.each([
  { kind: "nothing" },
  { kind: "held", hold: { id: "h", kind: "space", subject: "T1", reason: "r", name: "Bea", at: 1 } },
] as const)("where it is $kind no thread is touched", async (begun) => {
  const { eraser, done } = world({ begun });
  expect(await eraser.erase({ kind: "thread", subject: one }, "r", who)).toEqual(begun);
  await eraser.stop();
  expect(done).toEqual([]);
});

test("what another process left is finished; what fails keeps no other thread waiting and is tried again later", async () => {
  const { eraser, clock, done, failing } = world({ abandoned: ["e9"] }, { everyMs: 1_000 });
  failing.add(one);
  eraser.start();
  await until(() => done.includes(`erase ${two}`), { what: "the second is erased" });
  await eraser.done("e9");
  expect(done).not.toContain(`erase ${one}`);
  expect(done).not.toContain("finish e9");
  await clock.advance(1_000);
  await until(() => done.includes("finish e9"), { what: "it is finished" });
  await eraser.stop();
});
