// A very long answer in Slack: a first part as messages and all of it as a file, whatever goes wrong on the way.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSlackSurfaces } from "../../../src/adapters/slack/surfaces.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { documentOf } from "../../../src/core/reply/document.ts";
import { createReplyWriter } from "../../../src/core/reply/writer.ts";
import { withPictureBytes } from "../../../src/core/run/reply-of-run.ts";
import { bytesOf } from "../../support/pictures.ts";
import { entryOf, fenceOf, roundOf, runNamed, stopped } from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";
import type { Fault } from "../../support/slack/faults.ts";
import { until } from "../../support/until.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

let world: OutboundWorld;
/** What Slack would complain of in this test. */
let complaints: readonly string[];
beforeEach(async () => {
  complaints = [];
  world = await outboundWorld({ surface: { replyPages: 2 } });
});
afterEach(async () => {
  expect(world.strays()).toEqual([]);
  expect(world.slack.complaints).toEqual(complaints);
  expect(world.slack.unusedFaults).toBe(0);
  await world[Symbol.asyncDispose]();
});

const time = createSystemClock();
const COMPLETE = "files.completeUploadExternal";
const answer = Array.from(
  { length: 260 },
  (_, line) => `Line ${line + 1} says a little more than that.`,
).join("\n\n");

const shared = () => world.shown().flatMap(({ files }) => files);
/** The bytes as a person would get them. */
async function contentOf(file: Readonly<Record<string, unknown>> | undefined): Promise<string> {
  const headers = { authorization: `Bearer ${world.slack.app.botToken}` };
  return (await fetch(String(file?.["url_private"]), { headers })).text();
}
async function settle(name = "r1", fenceNumber = 1): Promise<unknown> {
  const writer = world.writer(name, { fenceNumber });
  for (const event of roundOf(1, answer)) writer.on(event);
  return writer.settle(stopped);
}

describe("a very long answer in Slack", () => {
  test("is a first part, a word on where the rest is, and one file with all of it", async () => {
    expect(await settle()).toEqual({ kind: "settled" });
    expect(world.shown()).toHaveLength(3);
    expect(world.texts()[0]).toMatch(/^Line 1 says/);
    expect(world.texts()[1]).toContain("The whole answer is in the file below.");
    expect(shared()).toMatchObject([{ name: "answer-r1.md", title: "The whole answer" }]);
    expect(await contentOf(shared()[0])).toBe(`${answer}\n`);
  });

  test("is shared once where the answer to the last step was lost, also by another attempt", async () => {
    world.slack.fault(COMPLETE, { kind: "lost response" });
    expect(await settle()).toEqual({ kind: "settled" });
    expect(shared()).toHaveLength(1);
    // Another process knows the file by its row alone.
    expect(await settle("r1", 2)).toEqual({ kind: "settled" });
    expect(shared()).toHaveLength(1);
    expect(world.shown()).toHaveLength(3);
  });

  test("is shared when it can be: what never arrived, or was limited, is done again", async () => {
    world.slack.fault("files.getUploadURLExternal", { kind: "status", status: 503 });
    world.slack.fault(COMPLETE, { kind: "rate limited", retryAfterS: 1 });
    expect(await settle()).toEqual({ kind: "settled" });
    expect(shared()).toHaveLength(1);
  });

  test("comes whole as messages where the app has no right to send files, and the next one does not try", async () => {
    world.slack.app.scopes.delete("files:write");
    complaints = ["scope: a call needs files:write"];
    expect(await settle()).toEqual({ kind: "settled" });
    const asked = () => world.slack.calls.filter(({ method }) => method.startsWith("files.")).length;
    expect(asked()).toBe(1);
    expect(shared()).toEqual([]);
    expect(world.texts().join(" ")).not.toContain("file below");
    for (const line of [1, 130, 260]) expect(world.texts().join(" ")).toContain(`Line ${line} says`);
    expect(await settle("r2")).toEqual({ kind: "settled" });
    expect(asked()).toBe(1);
  });

  test("comes whole as messages where its bytes never arrive, and the next one tries again", async () => {
    const unreachable = { upload_url: "http://127.0.0.1:1/upload" };
    const api: typeof world.api = {
      ...world.api,
      async call(...args) {
        const told = await world.api.call(...args);
        return told.kind === "ok" ? { ...told, data: { ...told.data, ...unreachable } } : told;
      },
    };
    const pacer = createLocalPacer(time);
    const surfaces = createSlackSurfaces({ api, pacer, clock: time, log: silentLog }, { replyPages: 2 });
    const surface = surfaces.of(world.session);
    const page = { markdown: "", buttons: [], file: { name: "answer.md", title: "all", text: "all" } };
    for (const kind of ["later", "later", "refused"])
      expect(await surface.post("key-1", page)).toMatchObject({ kind });
    expect(surface.limits.mostPages).toBe(2);
    expect(await surface.post("key-1", page)).toMatchObject({ kind: "later" });
    await surfaces.stop();
  });

  test("is looked for from where the search was cut short, and not among what is older than its run", async () => {
    for (let index = 0; index < 450; index++)
      world.ana.say(world.channel, `${index}`, { thread: world.root });
    expect(await settle()).toEqual({ kind: "settled" });
    const [row] = (await world.pages.list("r1" as never)).filter(({ index }) => index === 2);
    world.slack.fault(
      "conversations.replies",
      { kind: "rate limited", retryAfterS: 1 },
      { when: (call) => call.has("cursor") },
    );
    const again = createSlackSurfaces(
      { api: world.api, pacer: createLocalPacer(time), clock: time, log: silentLog },
      { replyPages: 2 },
    );
    const surface = again.of(world.session);
    const page = { markdown: "", buttons: [], file: { name: "answer-r1.md", title: "all", text: "all" } };
    const asked = () => world.slack.callsOf("conversations.replies").length;
    const before = asked();
    await expect(surface.find("key-1", { page, since: 0 })).rejects.toThrow("could not be searched");
    const found = await until(() => surface.find("key-1", { page, since: 0 }), { what: "Slack answers" });
    expect(found).toBe(row?.message);
    const calls = world.slack.callsOf("conversations.replies").slice(before);
    expect(calls.filter(({ args }) => args["cursor"] === undefined)).toHaveLength(1);
    await surface.find("key-1", { page, since: 1_000_000_000 });
    await surface.find("key-1", { since: 1_000_000_000 });
    const told = world.slack.callsOf("conversations.replies").slice(-2);
    expect(told.every(({ args }) => args["oldest"] === "999400.000000")).toBe(true);
    await again.stop();
  });

  test("takes its file back also where its answer was lost and the next attempt says less", async () => {
    expect(await settle()).toEqual({ kind: "settled" });
    const [row] = (await world.pages.list("r1" as never)).filter(({ index }) => index === 2);
    const { message: _, ...begun } = row!;
    await world.pages.put({ run: "r1", number: 1 } as never, begun);
    const writer = world.writer("r1", { fenceNumber: 2 });
    for (const event of roundOf(1, "short")) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    expect(shared()).toEqual([]);
    expect(world.shown()).toHaveLength(1);
  });

  test("shares its file when it is its turn, as any message", async () => {
    const waits = [5, 0];
    const pacer = { take: async () => waits.shift() ?? 0, leave: async () => {}, hold: async () => {} };
    const deps = { api: world.api, pacer, clock: time, log: silentLog };
    const surfaces = createSlackSurfaces(deps, { replyPages: 2 });
    const surface = surfaces.of(world.session);
    const page = { markdown: "", buttons: [], file: { name: "answer.md", title: "all", text: "all" } };
    expect(await surface.post("key-1", page)).toEqual({ kind: "later", afterMs: 5, isTurn: true });
    expect(shared()).toEqual([]);
    expect(await surface.post("key-1", page)).toMatchObject({ kind: "ok" });
    expect(shared()).toHaveLength(1);
    await surfaces.stop();
  });

  test("takes its file back with the page that it stands for", async () => {
    expect(await settle()).toEqual({ kind: "settled" });
    const [row] = (await world.pages.list("r1" as never)).filter(({ index }) => index === 2);
    expect(await world.surface.remove(row?.message ?? "")).toMatchObject({ kind: "ok" });
    expect(shared()).toEqual([]);
    expect(world.shown()).toHaveLength(2);
    expect(await world.surface.remove(row?.message ?? "")).toEqual({ kind: "gone", what: "message" });
  });
});

/** A writer whose run has these images, with bytes that only a surface asks for. */
function pictureWriter(fenceNumber = 1) {
  const run = { ...runNamed("r1"), session: world.session };
  const names = ["first", "second"];
  const pictures = names.map((hash) => ({ mimeType: "image/png", bytes: 12, hash, alt: `The ${hash}` }));
  world.pages.newestFence = fenceNumber;
  const document = { ...documentOf(run, [entryOf(run, 1, "Here they are.")]), pictures };
  const read = async (_session: unknown, hash: string) => ({ mimeType: "image/png", bytes: bytesOf(hash) });
  return createReplyWriter(
    {
      surface: withPictureBytes(world.surfaces.of(world.session), world.session, { read }),
      pages: world.pages,
      clock: time,
      log: silentLog,
    },
    { run, fence: fenceOf(run, fenceNumber), isLive: () => true, document },
  );
}

describe("images in Slack", () => {
  const all = [
    { name: "image-r1-1.png", title: "The first", alt_txt: "The first", mimetype: "image/png" },
    { name: "image-r1-2.png", title: "The second", alt_txt: "The second", mimetype: "image/png" },
  ];

  test("stand below the words with their descriptions, and another attempt leaves them as they are", async () => {
    expect(await pictureWriter().settle(stopped)).toEqual({ kind: "settled" });
    expect(shared()).toMatchObject(all);
    expect(await contentOf(shared()[1])).toBe(bytesOf("second").toString());
    expect(await pictureWriter(2).settle(stopped)).toEqual({ kind: "settled" });
    expect(shared()).toMatchObject(all);
    expect(world.shown()).toHaveLength(3);
  });

  test.each<Fault>([
    { kind: "lost response" },
    { kind: "status", status: 503 },
    { kind: "refused", error: "internal_error" },
    { kind: "done and refused", error: "internal_error" },
  ])(
    "are each there once after a step of which nobody knows what it did ($kind), and no bytes are brought twice",
    async (fault) => {
      world.slack.fault(COMPLETE, fault);
      expect(await pictureWriter().settle(stopped)).toEqual({ kind: "settled" });
      expect(shared()).toMatchObject(all);
      expect(world.slack.callsOf("files.getUploadURLExternal")).toHaveLength(2);
      // Killed before it was written down that the second is there.
      const [row] = (await world.pages.list("r1" as never)).filter(({ index }) => index === 2);
      const { message: _, ...begun } = row!;
      await world.pages.put({ run: "r1", number: 1 } as never, begun);
      expect(await pictureWriter(2).settle(stopped)).toEqual({ kind: "settled" });
      expect(shared()).toMatchObject(all);
    },
  );

  test("stand in their order also where the attempt before had no luck with the first", async () => {
    world.slack.fault("files.getUploadURLExternal", { kind: "refused", error: "invalid_arguments" });
    expect(await pictureWriter().settle(stopped)).toEqual({ kind: "settled" });
    expect(shared()).toMatchObject(all.slice(1));
    expect(world.texts()[0]).toContain("An image could not be shown here.");
    expect(await pictureWriter(2).settle(stopped)).toEqual({ kind: "settled" });
    expect(shared()).toMatchObject(all);
    expect(world.texts()[0]).not.toContain("could not be shown");
  });

  test("are a line where the app has no right to send files, and Slack is asked once", async () => {
    world.slack.app.scopes.delete("files:write");
    complaints = ["scope: a call needs files:write"];
    expect(await pictureWriter().settle(stopped)).toEqual({ kind: "settled" });
    expect(world.shown()).toHaveLength(1);
    expect(world.texts()[0]).toMatch(/^Here they are\. .*2 images could not be shown here\./);
    expect(world.slack.calls.filter(({ method }) => method.startsWith("files.")).length).toBe(1);
  });
});
