// Postgres goes away while Bobbin works: what cannot be stored is not acknowledged, and everything goes on by itself.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { toSessionId } from "../../src/core/thread.ts";
import { until } from "../support/until.ts";
import { openOutageWorld, type OutageWorld } from "./outage-world.ts";
import { newMessageId } from "../support/web-person.ts";
import { watchPage } from "./page-stream.ts";

const WORDS = Array.from({ length: 150 }, (_, n) => `word${n + 1}`);
const AWAY = "The bot's database cannot be reached at the moment.";

describe.each(["start", "gateway and worker"] as const)("%s", (roles) => {
  let bobbin: OutageWorld;
  beforeAll(async () => {
    bobbin = await openOutageWorld({ roles });
  });
  afterEach(() => bobbin.postgres.start());
  afterAll(() => bobbin[Symbol.asyncDispose]());

  test("a message that cannot be stored is refused with a sentence; sent again it is answered once", async () => {
    const { person, postgres, transcripts } = bobbin;
    const id = newMessageId();
    const thread = await person.say("before");
    await person.replies(thread, 1);
    await postgres.stop("immediate");
    await expect(person.say("during", thread, id)).rejects.toThrow(AWAY);
    await expect(person.say("/stop", thread)).rejects.toThrow(AWAY);
    await until(async () => (await bobbin.missing()).includes("Postgres: It does not answer."), {
      what: "health names it",
    });
    const page = await fetch(`${bobbin.url}/threads/${encodeURIComponent(thread)}`);
    expect(page.status).toBe(503);
    expect((await page.text()).replaceAll("&#39;", "'")).toContain(AWAY);
    await postgres.start();
    await person.say("during", thread, id);
    await person.say("during", thread, id);
    const replies = await person.replies(thread, 2);
    expect(replies.map(({ text }) => text)).toEqual([
      expect.stringContaining("before"),
      expect.stringContaining("during"),
    ]);
    const inbounds = await transcripts.inbounds(toSessionId(thread)!);
    expect(inbounds.map(({ fate }) => fate)).toEqual(["answered", "answered"]);
    await bobbin.isWell();
  });

  test("a run in mid-stream goes on in the same message when it is back, and an open page says what is wrong and that it is well", async () => {
    const { person, postgres, transcripts } = bobbin;
    using hold = bobbin.llm.hold(20);
    const thread = await person.say("say 150 words");
    const shown = await bobbin.begun(thread);
    await using page = watchPage(bobbin.url, thread);
    await until(() => page.events.some(({ event }) => event === "message"), { what: "the page follows" });
    await postgres.stop("immediate");
    hold.release(60);
    await until(() => page.events.some(({ event, data }) => event === "trouble" && data === AWAY), {
      what: "the page says what is wrong",
    });
    // The model's answer ends meanwhile, and cannot be stored.
    hold.release();
    await until(() => bobbin.llm.open === 0, { what: "the model has ended" });
    await postgres.start();
    const replies = await person.replies(thread, 1);
    expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
    expect(replies[0]?.text.split(" ")).toEqual(WORDS);
    await until(() => page.events.at(-1)?.data.includes("word150"), { what: "the open page shows the end" });
    const state = page.events
      .map(({ event }) => event)
      .filter((event) => event === "trouble" || event === "well");
    expect(state.at(-1)).toBe("well");
    expect(state.filter((event) => event === "well")).toHaveLength(1);
    const inbounds = await transcripts.inbounds(toSessionId(thread)!);
    expect(inbounds.map(({ fate }) => fate)).toEqual(["answered"]);
    expect(bobbin.llm.complaints).toEqual([]);
    await bobbin.isWell();
  });

  test("a restart of Postgres in mid-stream, sooner than the answer ends, is not noticed in the answer", async () => {
    const { person, postgres } = bobbin;
    using hold = bobbin.llm.hold(20);
    const thread = await person.say("say 150 words");
    const shown = await bobbin.begun(thread);
    await postgres.stop("immediate");
    hold.release(60);
    await postgres.start();
    hold.release();
    const replies = await person.replies(thread, 1);
    expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
    expect(replies[0]?.text.split(" ")).toEqual(WORDS);
    await bobbin.isWell();
  });
});
