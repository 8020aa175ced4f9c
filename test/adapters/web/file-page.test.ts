// A very long answer in the web chat: its file is a link, and what it leads to is the answer and nothing that a browser runs.
import { expect, test } from "vitest";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { bytesOf } from "../../support/pictures.ts";
import { ChatWorld } from "./chat-world.ts";

const session = sessionIdOf({ platform: "web", space: "local", channel: "general", root: "r" });
const path = `/threads/${encodeURIComponent(session)}`;

test("the file of an answer is a link, given as a download to whoever has the thread, and gone with its message", async () => {
  const world = new ChatWorld();
  const app = world.app();
  const file = {
    name: "answer-r1.md",
    title: "The <whole> answer",
    text: "# All of it\n<script>x</script>\n",
  };
  await world.says(session, "k1", { file });
  await world.says(session, "k2", { markdown: "no file" });
  const page = await (await app.request(path)).text();
  expect(page).toContain(`href="${path}/files/k1"`);
  expect(page).toContain("The &lt;whole&gt; answer");
  const download = await app.request(`${path}/files/k1`);
  expect(await download.text()).toBe(file.text);
  expect(download.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(download.headers.get("content-disposition")).toBe('attachment; filename="answer-r1.md"');
  expect(download.headers.get("x-content-type-options")).toBe("nosniff");
  for (const none of ["k2", "k3"]) expect((await app.request(`${path}/files/${none}`)).status).toBe(404);
  await world.messages.remove(session, "k1");
  expect((await app.request(`${path}/files/k1`)).status).toBe(404);
});

test("an image is shown from the thread's own address, as the type that its bytes have, and kept by no cache", async () => {
  const world = new ChatWorld();
  const app = world.app();
  const picture = { mimeType: "image/png", bytes: 9, hash: "abc", alt: 'A "chart"' };
  const file = { name: "image-r1-1.png", title: 'A "chart"', text: 'A "chart"', picture };
  world.pictures.set("abc", { mimeType: "image/png", bytes: bytesOf("x") });
  await world.says(session, "k1", { file });
  await world.says(session, "k2", { file: { ...file, text: "", picture: { ...picture, hash: "none" } } });
  const page = await (await app.request(path)).text();
  expect(page).toContain(`<img src="${path}/files/k1" alt="A &quot;chart&quot;"`);
  expect(page).toContain('alt="Image without a description"');
  const shown = await app.request(`${path}/files/k1`);
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(bytesOf("x"));
  expect(shown.headers.get("content-type")).toBe("image/png");
  expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
  expect(shown.headers.get("cache-control")).toBe("no-store");
  expect((await app.request(`${path}/files/k2`)).status).toBe(404);
  await world.messages.remove(session, "k1");
  expect((await app.request(`${path}/files/k1`)).status).toBe(404);
});
