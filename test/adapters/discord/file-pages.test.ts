// A very long answer in Discord: a first part as messages and all of it as a file, whatever goes wrong on the way.
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { documentOf } from "../../../src/core/reply/document.ts";
import { createReplyWriter } from "../../../src/core/reply/writer.ts";
import { withPictureBytes } from "../../../src/core/run/reply-of-run.ts";
import { MemoryPages } from "../../support/memory-pages.ts";
import { bytesOf } from "../../support/pictures.ts";
import { entryOf, fenceOf, roundOf, runNamed, stopped } from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

const POST = "POST /channels/:channel/messages";
/** Rate limits are another matter. */
const hasty = { rateLimits: { buckets: { [POST]: [50, 1] } } } as const;
const answer = Array.from(
  { length: 120 },
  (_, line) => `Line ${line + 1} says a little more than that.`,
).join("\n\n");
/** The post that has no words. */
const ofFile = {
  when: ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => body["content"] === undefined,
};
const clock = createSystemClock();

async function settle(world: OutboundWorld, pages: MemoryPages, fenceNumber = 1): Promise<unknown> {
  pages.newestFence = fenceNumber;
  const run = { ...runNamed("r1"), session: world.session, startedAt: clock.now() };
  const writer = createReplyWriter(
    { surface: world.another(), pages, clock, log: silentLog },
    { run, fence: fenceOf(run, fenceNumber), isLive: () => true },
  );
  for (const event of roundOf(1, answer)) writer.on(event);
  return writer.settle(stopped);
}

test("a very long answer is a first part, a word on where the rest is, and one file that pings nobody", async () => {
  await using world = await outboundWorld({ ...hasty, replyPages: 2 });
  expect(await settle(world, new MemoryPages())).toEqual({ kind: "settled" });
  const shown = world.shown();
  expect(shown.map(({ files }) => files)).toEqual([[], [], ["answer-r1.md"]]);
  expect(shown[1]?.text).toContain("The whole answer is in the file below.");
  const call = world.discord.calls.findLast(({ route }) => route === POST);
  expect(call?.body).toMatchObject({ allowed_mentions: { parse: [] }, enforce_nonce: true });
  expect(world.discord.complaints).toEqual([]);
});

test("the file is there once where its answer was lost, and another attempt leaves it as it is", async () => {
  await using world = await outboundWorld({ ...hasty, replyPages: 2 });
  const pages = new MemoryPages();
  world.discord.fault(POST, { kind: "lost response" }, ofFile);
  expect(await settle(world, pages)).toEqual({ kind: "settled" });
  expect(await settle(world, pages, 2)).toEqual({ kind: "settled" });
  expect(world.shown().map(({ files }) => files)).toEqual([[], [], ["answer-r1.md"]]);
});

test("where files may not be sent the whole answer comes as messages", async () => {
  await using world = await outboundWorld({ ...hasty, replyPages: 2 });
  world.discord.fault(POST, { kind: "refused", status: 403, code: 50013 }, ofFile);
  expect(await settle(world, new MemoryPages())).toEqual({ kind: "settled" });
  const text = world
    .shown()
    .map((message) => message.text)
    .join(" ");
  expect(world.shown().every(({ files }) => files.length === 0)).toBe(true);
  expect(text).not.toContain("file below");
  for (const line of [1, 60, 120]) expect(text).toContain(`Line ${line} says`);
});

test("words that take the place of a file leave none below them", async () => {
  await using world = await outboundWorld({ ...hasty, replyPages: 2 });
  const surface = world.another();
  const file = { name: "answer-r1.md", title: "all", text: "all" };
  await surface.post("key-0", { markdown: "above", buttons: [] });
  const posted = await surface.post("key-1", { markdown: "", file, buttons: [] });
  if (posted.kind !== "ok") throw new Error(posted.kind);
  expect(await surface.edit(posted.message, { markdown: "words", buttons: [] })).toMatchObject({
    kind: "ok",
  });
  expect(world.shown()).toMatchObject([{ text: "above" }, { text: "words", files: [] }]);
});

test("a file waits for its turn as words do", async () => {
  const pacer = { take: async () => 5, leave: async () => {}, hold: async () => {} };
  await using world = await outboundWorld({ ...hasty, replyPages: 2, pacer });
  const file = { name: "answer-r1.md", title: "all", text: "all" };
  const posted = await world.another().post("key-1", { markdown: "", file, buttons: [] });
  expect(posted).toEqual({ kind: "later", afterMs: 5, isTurn: true });
  expect(world.discord.calls.filter(({ route }) => route === POST)).toEqual([]);
});

/** The same run with two images; `refused`: files may not be sent. */
async function settlePictures(world: OutboundWorld, pages: MemoryPages, fenceNumber = 1): Promise<unknown> {
  pages.newestFence = fenceNumber;
  const run = { ...runNamed("r1"), session: world.session, startedAt: clock.now() };
  const names = ["first", "second"];
  const pictures = names.map((hash) => ({ mimeType: "image/png", bytes: 12, hash, alt: `The ${hash}` }));
  const document = { ...documentOf(run, [entryOf(run, 1, "Here they are.")]), pictures };
  const read = async (_session: unknown, hash: string) => ({ mimeType: "image/png", bytes: bytesOf(hash) });
  const writer = createReplyWriter(
    {
      surface: withPictureBytes(world.another(), world.session, { read }),
      pages,
      clock,
      log: silentLog,
    },
    { run, fence: fenceOf(run, fenceNumber), isLive: () => true, document },
  );
  return writer.settle(stopped);
}

test("images are attachments below the words, with descriptions, once after a lost answer and in another attempt", async () => {
  await using world = await outboundWorld(hasty);
  const pages = new MemoryPages();
  world.discord.fault(POST, { kind: "lost response" }, ofFile);
  expect(await settlePictures(world, pages)).toEqual({ kind: "settled" });
  const all = [[], ["image-r1-1.png"], ["image-r1-2.png"]];
  expect(world.shown().map(({ files }) => files)).toEqual(all);
  expect(world.shown()[2]?.fileTexts).toEqual([bytesOf("second").toString()]);
  const posts = world.discord.calls.filter(({ route }) => route === POST);
  expect(posts.at(-1)?.body).toMatchObject({ attachments: [{ id: 0, description: "The second" }] });
  // Killed before it was written down that the second is there, and so late that Discord has forgotten the nonce.
  const [row] = (await pages.list("r1" as never)).filter(({ index }) => index === 2);
  await pages.put({ run: "r1", number: 1 } as never, { run: row!.run, index: 2, key: "another" });
  expect(await settlePictures(world, pages, 2)).toEqual({ kind: "settled" });
  expect(world.shown().map(({ files }) => files)).toEqual(all);
  expect(world.discord.complaints).toEqual([]);
});

test("where files may not be sent a line stands for the images", async () => {
  await using world = await outboundWorld(hasty);
  for (let times = 0; times < 2; times++)
    world.discord.fault(POST, { kind: "refused", status: 403, code: 50013 }, ofFile);
  expect(await settlePictures(world, new MemoryPages())).toEqual({ kind: "settled" });
  expect(world.shown()).toHaveLength(1);
  expect(world.shown()[0]?.text).toContain("2 images could not be shown here.");
});
