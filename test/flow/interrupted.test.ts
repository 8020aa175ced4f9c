// A person interrupts a run that another process has, and a process sleeps while its run is taken from it.
import { expect, test } from "vitest";
import { toSessionId, type SessionId } from "../../src/core/thread.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { deploy, type Deployment } from "./deployment.ts";
import { TIMES } from "./world.ts";

const WORDS = Array.from({ length: 200 }, (_, n) => `word${n + 1}`);

function sessionOf(thread: string): SessionId {
  const session = toSessionId(thread);
  if (session === undefined) throw new Error(`not a session: ${thread}`);
  return session;
}

async function workerOf(bobbin: Deployment, thread: string) {
  const [run] = await bobbin.transcripts.runs(sessionOf(thread));
  const worker = bobbin.workers.find(({ pid }) => run?.attempts.at(-1)?.worker.endsWith(`/${pid}`));
  if (worker === undefined) throw new Error("nobody has the run");
  return worker;
}

test("stop, retry and reset in mid-stream reach the worker in the other process", async () => {
  await using bobbin = await deploy();
  using hold = bobbin.llm.hold(20);
  const ana = bobbin.newPerson();
  const thread = await ana.say("say 200 words");
  await ana.shows(thread, "word10 ");
  await ana.click(thread, "stop");
  const [stopped] = await ana.replies(thread, 1);
  expect(stopped?.text).toContain("word10");
  expect(stopped?.text).not.toContain("word200");
  expect(stopped?.foot).toContain("Stopped.");

  // Whatever the next answer is.
  hold.release(1);
  await ana.click(thread, "retry", stopped?.retry);
  await until(async () => (await ana.read(thread)).some(({ state }) => state === "running"), {
    what: "it is tried again",
  });
  await ana.say("/reset", thread);
  hold.release();
  await ana.say("what was said?", thread);
  await until(
    async () => {
      const inbounds = await bobbin.transcripts.inbounds(sessionOf(thread));
      return inbounds.every(({ state }) => state === "done") && inbounds.length === 5;
    },
    { what: "everything has its fate" },
  );
  const last = bobbin.llm.requests.at(-1)?.body.messages ?? [];
  expect(last.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(JSON.stringify(last)).not.toContain("200 words");
  const fates = (await bobbin.transcripts.inbounds(sessionOf(thread))).map(({ fate }) => fate);
  expect(fates).toEqual(["cancelled", "answered", "cancelled", "answered", "answered"]);
});

test("worker paused past its lease: another one answers in the same message, and the sleeper changes nothing when it wakes", async () => {
  await using bobbin = await deploy({ times: TIMES });
  using hold = bobbin.llm.hold(20);
  const ben = bobbin.newPerson();
  const thread = await ben.say("say 200 words");
  const shown = await ben.shows(thread, "word10 ");
  const sleeper = await workerOf(bobbin, thread);
  sleeper.kill("SIGSTOP");
  // The other one has it now, and is still at work when the sleeper wakes.
  await until(async () => (await bobbin.transcripts.runs(sessionOf(thread)))[0]?.attempts.length === 2, {
    what: "another worker has the run",
  });
  sleeper.kill("SIGCONT");
  hold.release();
  const replies = await ben.replies(thread, 1);
  expect(replies.map(({ id }) => id)).toEqual([shown.id]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
  const [run] = await settledRuns(bobbin.transcripts, sessionOf(thread));
  // "crashed" until it woke and said how it had left.
  const ends = run?.attempts.map(({ ended }) => ended) ?? [];
  expect(ends[0]).toMatch(/^(lost|handed_over|crashed)$/);
  expect(ends.at(-1)).toBe("ended");
  expect((await bobbin.transcripts.inbounds(sessionOf(thread))).map(({ fate }) => fate)).toEqual([
    "answered",
  ]);
  expect(bobbin.llm.requests).toHaveLength(ends.length);
  // It is well, and serves on.
  await ben.say("and again", thread);
  expect(await ben.replies(thread, 2)).toHaveLength(2);
});
