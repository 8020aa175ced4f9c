// Home tabs, menus that ask the app, whispers that are pressed, and answer addresses, held against the real Bolt.
import { expect, test } from "vitest";
import { boltOnSocket, refusal, webClient } from "../support/slack/bolt.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import { faultsInBlocks } from "../support/slack/block-rules.ts";
import { until } from "../support/until.ts";

const plain = (text: string) => ({ type: "plain_text", text }) as const;

test("a home tab is published when it is opened, and pressed", async () => {
  await using slack = await createLocalSlack();
  const ada = slack.person("ada");
  const pressed: string[] = [];
  await using _ = await boltOnSocket(slack, {
    listen: (app) => {
      app.event("app_home_opened", async ({ event, client }) => {
        await client.views.publish({
          user_id: event.user,
          view: {
            type: "home",
            blocks: [
              {
                type: "actions",
                elements: [{ type: "button", action_id: "go", text: plain("Go"), value: "7" }],
              },
            ],
          },
        });
      });
      app.action("go", async ({ ack, action }) => {
        await ack();
        pressed.push("value" in action ? String(action.value) : "");
      });
    },
  });
  await expect(ada.press("home", "go")).rejects.toThrow("no home tab");
  ada.openHome();
  await until(() => ada.home(), { what: "the home tab" });
  expect(await ada.press("home", "go")).toMatchObject({ kind: "acknowledged" });
  expect(pressed).toEqual(["7"]);

  await using without = await createLocalSlack({ hasHomeTab: false });
  const view = { type: "home" as const, blocks: [] };
  const call = webClient(without).views.publish({ user_id: without.person("ada").id, view });
  expect(await refusal(call)).toBe("not_enabled");
});

test("a menu in a modal asks the app for its choices, and a command opens it", async () => {
  await using slack = await createLocalSlack();
  const ada = slack.person("ada");
  const chosen: unknown[] = [];
  await using _ = await boltOnSocket(slack, {
    listen: (app) => {
      app.command("/reset", async ({ ack, command, client }) => {
        await ack();
        const element = { type: "external_select", action_id: "thread", min_query_length: 0 } as const;
        await client.views.open({
          trigger_id: command.trigger_id,
          view: {
            type: "modal",
            callback_id: "reset",
            title: plain("Reset"),
            submit: plain("Reset"),
            blocks: [{ type: "input", block_id: "which", label: plain("Which thread?"), element }],
          },
        });
      });
      app.options("thread", async ({ ack, payload }) => {
        await ack({ options: [{ text: plain(`about ${payload.value}`), value: "t1" }] });
      });
      app.view("reset", async ({ ack, view }) => {
        chosen.push(view.state.values["which"]?.["thread"]?.selected_option?.value);
        await ack();
      });
    },
  });
  await ada.slash("/reset", "", slack.channel("general"));
  await until(() => ada.modal(), { what: "the modal" });
  expect(await ada.search("thread", "budget")).toMatchObject({
    answer: { options: [{ text: { text: "about budget" }, value: "t1" }] },
  });
  await ada.submit({ which: "t1" });
  expect(chosen).toEqual(["t1"]);
});

test("an answer address takes five answers, and lets a whisper be replaced and taken away", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const root = ada.say(channel, "hello");
  const urls: string[] = [];
  await using app = await boltOnSocket(slack, {
    listen: (bolt) =>
      bolt.action("no", async ({ ack, body }) => {
        await ack();
        urls.push("response_url" in body ? String(body.response_url) : "");
      }),
  });
  await app.client.chat.postEphemeral({
    channel: channel.id,
    user: ada.id,
    thread_ts: root.ts,
    text: "Sure?",
    blocks: [{ type: "actions", elements: [{ type: "button", action_id: "no", text: plain("No") }] }],
  });
  const whisper = slack.thread(channel, root, { as: ada })[1];
  if (!whisper) throw new Error("there is no whisper");
  await ada.click(whisper, "no");
  const [url = ""] = urls;
  const answer = async (message: object): Promise<number> =>
    (await fetch(url, { method: "POST", body: JSON.stringify(message) })).status;
  expect(await answer({ replace_original: true, text: "Then not." })).toBe(200);
  expect(slack.thread(channel, root, { as: ada }).at(-1)).toMatchObject({ text: "Then not.", controls: [] });
  expect(await answer({ delete_original: true })).toBe(200);
  expect(slack.thread(channel, root, { as: ada })).toHaveLength(1);
  expect(await answer({ response_type: "in_channel", text: "said aloud" })).toBe(200);
  expect(slack.channelTop(channel).at(-1)).toMatchObject({ text: "said aloud", author: "bobbin" });
  expect(await answer({ text: "one" })).toBe(200);
  expect(await answer({ text: "two" })).toBe(200);
  expect(await answer({ text: "three" })).toBe(404);
});

const cell = (text: string) => ({ type: "raw_text", text });
const button = (label: string, id = "a") => ({ type: "button", action_id: id, text: plain(label) });
const option = (label: string) => ({ text: plain(label), value: "v" });
const long = (length: number): string => "x".repeat(length);

test.each<[string, unknown[], unknown[]]>([
  ["a header", [{ type: "header", text: plain(long(150)) }], [{ type: "header", text: plain(long(151)) }]],
  [
    "a button's label",
    [{ type: "actions", elements: [button(long(75))] }],
    [{ type: "actions", elements: [button(long(76))] }],
  ],
  [
    "a row of buttons",
    [{ type: "actions", elements: Array.from({ length: 25 }, (_, index) => button("a", `a${index}`)) }],
    [{ type: "actions", elements: Array.from({ length: 26 }, (_, index) => button("a", `a${index}`)) }],
  ],
  [
    "ids in one row",
    [{ type: "actions", elements: [button("a", "a"), button("b", "b")] }],
    [{ type: "actions", elements: [button("a", "a"), button("b", "a")] }],
  ],
  [
    "a menu",
    [{ type: "actions", elements: [{ type: "static_select", options: Array(100).fill(option(long(75))) }] }],
    [{ type: "actions", elements: [{ type: "static_select", options: Array(101).fill(option("a")) }] }],
  ],
  [
    "a context line",
    [{ type: "context", elements: Array(10).fill({ type: "mrkdwn", text: "a" }) }],
    [{ type: "context", elements: Array(11).fill({ type: "mrkdwn", text: "a" }) }],
  ],
  [
    "fields",
    [{ type: "section", fields: Array(10).fill({ type: "mrkdwn", text: long(2000) }) }],
    [{ type: "section", fields: Array(10).fill({ type: "mrkdwn", text: long(2001) }) }],
  ],
  [
    "cells of a table",
    [{ type: "table", rows: [[cell("a"), cell("b")]] }],
    [{ type: "table", rows: [[cell("a"), cell("")]] }],
  ],
  [
    "the rows of a table",
    [{ type: "table", rows: Array(100).fill([cell(long(100))]) }],
    [{ type: "table", rows: Array(101).fill([cell("a")]) }],
  ],
  [
    "the letters of a table",
    [{ type: "table", rows: [[cell(long(10_000))]] }],
    [{ type: "table", rows: [[cell(long(10_001))]] }],
  ],
  [
    "the number of tables",
    [{ type: "table", rows: [[cell("a")]] }],
    [
      { type: "table", rows: [[cell("a")]] },
      { type: "table", rows: [[cell("b")]] },
    ],
  ],
  ["an empty section", [{ type: "divider" }], [{ type: "section", text: { type: "mrkdwn", text: "" } }]],
])("%s is taken within its limit and refused above", (_, taken, refused) => {
  expect(faultsInBlocks(taken, "message")).toEqual([]);
  expect(faultsInBlocks(refused, "message")).not.toEqual([]);
});
