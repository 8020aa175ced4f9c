// Processes that die: a thread is answered once, in the same message, whatever dies and when.
import { join } from "node:path";
import { expect, test } from "vitest";
import { toSessionId } from "../../src/core/thread.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct } from "../support/product.ts";
import { embeddedFolder } from "../support/services/embedded.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";
import { deploy } from "./deployment.ts";
import { TIMES } from "./world.ts";

test("a worker killed in mid-run: another one goes on, and the thread is answered once, in the same message", async () => {
  await using bobbin = await deploy({ workers: 1 });
  using hold = bobbin.llm.hold(20);
  const ana = bobbin.newPerson();
  const thread = await ana.say("say 200 words");
  const begun = await ana.shows(thread, "word10 ");
  bobbin.workers[0]?.kill("SIGKILL");
  await bobbin.addWorker();
  hold.release();
  const replies = await ana.replies(thread, 1);
  expect(replies).toHaveLength(1);
  expect(replies[0]?.id).toBe(begun.id);
  expect(replies[0]?.text.split(" ")).toEqual(Array.from({ length: 200 }, (_, n) => `word${n + 1}`));
  const [run] = await settledRuns(bobbin.transcripts, toSessionId(thread)!);
  expect(run?.attempts.map(({ ended }) => ended)).toEqual(["crashed", "ended"]);
  expect((await bobbin.transcripts.inbounds(toSessionId(thread)!)).map(({ fate }) => fate)).toEqual([
    "answered",
  ]);
});

test("killed between the end and its final pages: they are delivered without another model call", async () => {
  await using bobbin = await deploy({ workers: 0, times: TIMES });
  const dying = await bobbin.addWorker(join(import.meta.dirname, "dying-worker.ts"));
  const ben = bobbin.newPerson();
  const thread = await ben.say("tell me once");
  expect(await dying.exited).toBe("SIGKILL");
  expect(bobbin.llm.requests).toHaveLength(1);
  await bobbin.addWorker();
  const [reply, ...more] = await ben.replies(thread, 1);
  expect(more).toEqual([]);
  expect(reply?.text).toContain("tell me once");
  await until(async () => (await bobbin.transcripts.runs(toSessionId(thread)!))[0]?.reply === "settled", {
    what: "the reply is settled",
  });
  expect(bobbin.llm.requests).toHaveLength(1);
});

test("the all-in-one process killed in mid-run: started again it answers once, in the same message, and keeps both threads", async () => {
  await using folder = await embeddedFolder();
  const llm = await createFakeLlm();
  const env = { DATA_DIR: folder.path, OPENAI_BASE_URL: llm.url, MODEL: "fake", OPENAI_API_KEY: "k" };
  let address = "";
  const eve = createWebPerson(() => address);
  let shownId = "";
  let thread = "";
  let other = "";
  {
    await using first = spawnProduct("start", env);
    address = await first.ready();
    other = await eve.say("remember the heron");
    await eve.replies(other, 1);
    using _ = llm.hold(20);
    thread = await eve.say("say 150 words");
    const begun = await eve.shows(thread, "word5 ");
    shownId = begun.id;
    first.kill("SIGKILL");
    await first.exited;
  }
  await using again = spawnProduct("start", env);
  address = await again.ready();
  const replies = await eve.replies(thread, 1);
  expect(replies.map(({ id }) => id)).toEqual([shownId]);
  expect(replies[0]?.text.split(" ")).toHaveLength(150);
  expect((await eve.read(other)).map(({ text }) => text)).toEqual([
    "remember the heron",
    expect.stringContaining("heron"),
  ]);
  await eve.say("go on", other);
  await eve.replies(other, 2);
  await llm.close();
});
