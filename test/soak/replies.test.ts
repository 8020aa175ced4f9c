// What must hold of replies that people delete from is found when it does not.
import { expect, test } from "vitest";
import type { PageRow, RunRow, ShownMessage } from "../chaos/checker/record.ts";
import { brokenReplies, type RepliesRecord } from "./replies.ts";

const session = "slack:T1:C1:1.1";
const run = (more: Partial<RunRow> = {}): RunRow => ({
  id: "r1",
  session,
  cause: "message",
  started_at: 1_000,
  reply: "settled",
  reason: "stop",
  error_code: null,
  retry_of: null,
  ...more,
});
const page = (index: number, message: string): PageRow => ({ run: "r1", index, key: `k${index}`, message });
const message = (id: string, text = "the whole answer 2 s"): ShownMessage => ({ id, text, buttons: [] });
const recordOf = (more: Partial<RepliesRecord> = {}, fromBot = [message("1.2")]): RepliesRecord => ({
  threads: [{ session, isGone: false, fromBot }],
  strays: [],
  runs: [run()],
  pages: [page(0, "1.2")],
  entries: [
    {
      session,
      epoch: 1,
      seq: 2,
      run: "r1",
      kind: "assistant",
      inbound: null,
      body: { text: "the whole answer" },
    },
  ],
  goals: [],
  takenAway: [],
  endedAt: new Map([["r1", 5_000]]),
  ...more,
});
const taken = (at: number, id = "1.2") => ({ session, message: id, at });

test("an answer that stands there, that came back, or that was deleted behind its end is as it should be", () => {
  expect(brokenReplies(recordOf())).toEqual([]);
  expect(brokenReplies(recordOf({ takenAway: [taken(2_000, "1.1b")] }))).toEqual([]);
  expect(brokenReplies(recordOf({ takenAway: [taken(6_000)] }, []))).toEqual([]);
});

test("what was deleted twice while it was written stays away, and so does a page that had nothing new to say", () => {
  expect(brokenReplies(recordOf({ takenAway: [taken(2_000, "1.1b"), taken(3_000)] }, []))).toEqual([]);
  const pages = [page(0, "1.2"), page(1, "1.3")];
  expect(brokenReplies(recordOf({ pages, takenAway: [taken(2_000)] }, [message("1.3")]))).toEqual([]);
});

test("what did not come back, was doubled, or went away by itself is found", () => {
  expect(brokenReplies(recordOf({ takenAway: [taken(2_000)] }, []))).toEqual([
    `${session}: page 0 of run r1 was taken away while it was written, and did not come back`,
  ]);
  expect(brokenReplies(recordOf({}, []))[0]).toContain("nobody took it away");
  expect(brokenReplies(recordOf({}, [message("1.2"), message("1.3")]))[0]).toContain("belongs to no run");
  expect(brokenReplies(recordOf({}, [message("1.2", "the whole")]))[0]).toContain("does not show all");
  expect(brokenReplies(recordOf({ runs: [run({ reply: "settling" })] }))[0]).toContain("settling to the end");
  expect(brokenReplies(recordOf({}, [{ ...message("1.2"), buttons: ["stop"] }]))[0]).toContain(
    "being written",
  );
});

test("a thread without its root is told nothing, and neither is the channel", () => {
  expect(brokenReplies(recordOf({ threads: [{ session, isGone: true, fromBot: [] }] }))).toEqual([]);
  expect(brokenReplies(recordOf({ strays: ["an answer"] }))[0]).toContain("outside of any thread");
});
