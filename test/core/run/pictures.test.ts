// Images of the model and of tools, from the round that is stored to the thread: below the words, each once, whatever dies.
import { expect, test } from "vitest";
import { sha256 } from "../../../src/adapters/ids.ts";
import { finderOf } from "../../../src/core/mask.ts";
import { createStoredMask } from "../../../src/core/mask-stored.ts";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, hangs, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { bytesOf, imageOf, wordsIn } from "../../support/pictures.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);

const chart = tool("chart", async () => ({
  content: [
    { kind: "text", text: "drawn" },
    { type: "image", mimeType: "image/png", data: imageOf("of the tool").data, name: "A chart" },
  ],
}));
/** Whichever comes next: the call, or the answer to its result. */
const drawing = (count = 2): readonly ScriptedStep[] =>
  Array.from({ length: count }, () => ({
    kind: "compute",
    step: ({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? reply({ text: "Here it is.", images: [imageOf("of the model"), imageOf("of the tool")] })
        : calls(["c1", "chart"]),
  }));
/** What each visible page says: its words, or whose bytes its image has. */
async function seen(b: RunBench): Promise<readonly (string | undefined)[]> {
  return Promise.all(
    b.thread.visible().map(async ({ markdown, file }) => {
      if (file?.picture === undefined) return markdown;
      const kept = await b.stores.pictures.read(b.session, file.picture.hash ?? "");
      return `${file.text}<${kept === undefined ? "gone" : wordsIn(kept.bytes)}>`;
    }),
  );
}
const ALL = ["Here it is.", "A chart<of the tool>", "<of the model>"];

test("images of tools and of the model stand below the answer, each once; the model reads a line for each", async () => {
  const b = bench([...drawing(), reply("fine")], { tools: [chart] });
  await b.say("draw it");
  await b.rest();
  expect(await seen(b)).toEqual(ALL);
  await b.say("thanks");
  await b.rest();
  const bytes = bytesOf("of the model").length;
  expect(b.asked(3)).toEqual([
    expect.stringContaining("draw it"),
    "bot:  chart()",
    "tool: drawn\n[image, image/png]",
    `bot: Here it is.\n[image, image/png, ${bytes} bytes]\n[image, image/png, ${bytesOf("of the tool").length} bytes]`,
    expect.stringContaining("thanks"),
  ]);
  const entries = await b.stores.transcripts.entries(b.session);
  expect(JSON.stringify(entries)).not.toContain(imageOf("of the model").data);
  expect(await b.problems()).toEqual([]);
});

test("an image whose base64 has no padding is one like any other, and what its tool did is known", async () => {
  const bare = (text: string) => ({ ...imageOf(text), data: imageOf(text).data.replace(/=+$/, "") });
  expect(bare("x").data).not.toBe(imageOf("x").data);
  const draw = tool("draw", async () => ({ content: [{ ...bare("xyz"), type: "image" }] }), {
    effect: "write",
  });
  const b = bench([calls(["c1", "draw"]), reply({ text: "Here it is.", images: [bare("x")] })], {
    tools: [draw],
  });
  await b.say("draw it");
  await b.rest();
  expect(await seen(b)).toEqual(["Here it is.", "<xyz>", "<x>"]);
  expect(await b.attempts()).toEqual([["ended"]]);
  expect(await b.problems()).toEqual([]);
});

test("an answer that is only an image says so, and one that cannot be shown is told of", async () => {
  const b = bench([
    reply({ images: [imageOf("x")] }),
    reply({ text: "See.", images: [{ ...imageOf("y"), data: "AAAA" }] }),
  ]);
  await b.say("draw it");
  await b.rest();
  expect(await seen(b)).toEqual(["Here is the image.", "<x>"]);
  await b.say("again");
  await b.rest();
  expect(b.shown().at(-1)).toBe("See. [An image could not be shown here.]");
  expect(await b.problems()).toEqual([]);
});

test.each(["commitRound", "end", "final", "putPage", "settled"])(
  "a worker that dies at %s, before and behind it: each image is there once",
  async (moment) => {
    for (const when of ["before", "after"] as const) {
      const b = bench(drawing(), { tools: [chart] });
      const dying = b.worker();
      // At the second of several: the first image is there.
      const isMany = moment === "final" || moment === "putPage";
      if (isMany) b.moments.at(moment, when, () => {});
      b.moments.at(moment, when, () => dying.die());
      await b.say("draw it");
      dying.begin();
      await until(() => b.moments.pending === 0, { what: "it dies" });
      b.model.add(...drawing(4));
      b.moments.clear();
      await b.rest();
      expect(await seen(b)).toEqual(ALL);
      expect(await b.fates()).toEqual(["draw it: answered"]);
    }
  },
);

test("a place that refuses an image has the words, the other image, and a line instead", async () => {
  const b = bench(drawing(), { tools: [chart] });
  b.thread.react = ({ page }) => (page?.file?.text === "A chart" ? { kind: "refused" } : { kind: "ok" });
  await b.say("draw it");
  await b.rest();
  expect(await seen(b)).toEqual(["Here it is.", "<of the model>"]);
  expect(b.shown()[0]).toBe("Here it is. [An image could not be shown here.]");
  expect(await b.problems()).toEqual([]);
});

test("a run that is stopped shows the images that its tools had made", async () => {
  const b = bench([calls(["c1", "chart"]), hangs("half of")], { tools: [chart] });
  await b.say("draw it");
  const worker = b.worker();
  const served = worker.serve();
  await until(() => b.thread.texts().includes("half of"), { what: "it answers" });
  await b.command("stop");
  await served;
  expect(await seen(b)).toEqual(["half of", "A chart<of the tool>"]);
  await b.rest();
  expect(await b.problems()).toEqual([]);
});

test("the images of one thread are read by nobody who has another", async () => {
  const b = bench([reply({ images: [imageOf("x")] })]);
  await b.say("draw it");
  await b.rest();
  const hash = sha256(imageOf("x").data);
  expect((await b.stores.pictures.read(b.session, hash))?.mimeType).toBe("image/png");
  expect(await b.stores.pictures.read("web:local:general:another" as never, hash)).toBeUndefined();
});

test.each(["", "settled"])(
  "a secret in the name of an image or in an answer stands in no page that is left, whoever writes it (%s)",
  async (moment) => {
    const secret = "hunter2-hunter2";
    const leak = tool("leak", async () => ({
      content: [{ type: "image", mimeType: "image/png", data: imageOf("a").data, name: `The ${secret}` }],
    }));
    const answers = { text: `It is ${secret}.`, images: [imageOf("b", `Of ${secret}`)] };
    const first = { ...calls(["c1", "leak"]) };
    const mask = createStoredMask(finderOf([secret]));
    const b = bench([first, reply(answers), reply("fine")], { tools: [leak], mask });
    await b.say("draw it");
    if (moment !== "") {
      const dying = b.worker();
      b.moments.at(moment, "before", () => dying.die());
      dying.begin();
      await until(() => b.moments.pending === 0, { what: "it dies" });
      b.moments.clear();
    }
    await b.rest();
    expect(await seen(b)).toEqual(["It is ***.", "The ***<a>", "Of ***<b>"]);
    expect(JSON.stringify(await b.stores.transcripts.entries(b.session))).not.toContain(secret);
    await b.say("thanks");
    await b.rest();
    expect(JSON.stringify(b.asked(3))).not.toContain(secret);
  },
);
