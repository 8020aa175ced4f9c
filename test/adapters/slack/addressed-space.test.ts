// Whose a delivery is, where one app has many installs.
import { expect, test } from "vitest";
import { addressedBy } from "../../../src/adapters/slack/addressed-space.ts";
import { withEnvironmentInstall } from "../../../src/adapters/slack/environment-install.ts";
import type { Payload } from "../../../src/adapters/slack/payload.ts";
import { createSlackSpaces } from "../../../src/adapters/slack/spaces.ts";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Install, Installs } from "../../../src/core/ports/installs.ts";
import { silentLog } from "../../support/silent-log.ts";
import { recorded } from "./recorded.ts";

const clock = createSystemClock();

function install(space: string): Install {
  return {
    platform: "slack",
    space,
    name: space,
    bot: { user: `UBOT${space}`, id: `BBOT${space}`, name: "bobbin" },
    scopes: [],
    installedBy: "",
    at: 0,
    revision: 1,
    state: "active",
    secret: { kind: "open", value: `xoxb-${space}` },
  };
}

/** @param threads by channel and root the space in which they began. */
function installedIn(spaces: readonly string[], threads: Readonly<Record<string, string>> = {}) {
  const all = spaces.map(install);
  const asked: string[] = [];
  const installs: Pick<Installs, "find" | "mark" | "spaceOfBot" | "spaceOfThread"> = {
    find: (_, space) => Promise.resolve(all.find((one) => one.space === space)),
    mark: () => Promise.resolve(false),
    spaceOfBot(_, users) {
      asked.push("bot");
      return Promise.resolve(all.find(({ bot }) => users.includes(bot.user))?.space);
    },
    spaceOfThread(_, channel, root) {
      asked.push("thread");
      return Promise.resolve(threads[`${channel} ${root}`]);
    },
  };
  const deps = { installs, learn: () => {}, pacer: createLocalPacer(clock), clock, log: silentLog };
  const parts = { spaces: createSlackSpaces(deps), installs };
  return {
    asked,
    async spaceOf(body: Payload) {
      const addressed = await addressedBy(parts, body);
      return addressed.kind === "install" ? addressed.known.install.space : `nobody in ${addressed.named}`;
    },
  };
}

const authorized = (team: string, enterprise?: string, isWide = false): Payload => ({
  authorizations: [
    { team_id: team, enterprise_id: enterprise ?? null, is_bot: true, is_enterprise_install: isWide },
  ],
});
const event = (more: Payload, inner: Payload = {}): Payload => ({
  ...recorded("mention", inner),
  ...more,
});

test("pitfall 23: an install of a whole organisation is its id, whichever workspace it happened in", async () => {
  expect(await installedIn(["E1"]).spaceOf(recorded("org_install"))).toBe("E1");
});

test.each<[string, readonly string[], Payload, string]>([
  ["the workspace's own", ["T1", "T2"], authorized("T2"), "T2"],
  ["the organisation's, where all have one", ["T1", "E1"], authorized("T1", "E1", true), "E1"],
  ["the workspace's before the organisation's", ["T1", "E1"], authorized("T1", "E1"), "T1"],
  ["the organisation's, where the workspace has none", ["E1"], authorized("T1", "E1"), "E1"],
  ["nobody's", ["T1"], authorized("T3"), "nobody in T3"],
  [
    "what stands in the authorizations, and not in the envelope",
    ["T1", "T2"],
    { ...authorized("T2"), team_id: "T1" },
    "T2",
  ],
])("an event is %s", async (_, spaces, envelope, space) => {
  const { spaceOf, asked } = installedIn(spaces);
  expect(await spaceOf(event(envelope))).toBe(space);
  // Nothing but what is kept is needed for it.
  expect(asked).toEqual([]);
});

const shared = { ...authorized("T2"), is_ext_shared_channel: true };

test("pitfall 11: in a shared channel with the app on both sides a mention is for the bot that is mentioned, whatever Slack names first", async () => {
  const both = installedIn(["T1", "T2"]);
  expect(await both.spaceOf(event(shared, { text: "<@UBOTT1> hello" }))).toBe("T1");
  expect(await both.spaceOf(event(shared, { text: "<@UBOTT2> hello" }))).toBe("T2");
  expect(await both.spaceOf(event(shared, { text: "<@UELSE> hello" }))).toBe("T2");
  // The one that Slack names has let the app go.
  const one = installedIn(["T1"]);
  expect(await one.spaceOf(event(shared, { text: "<@UBOTT1> hello" }))).toBe("T1");
});

test("a thread in a shared channel stays with the install that it began with", async () => {
  const { spaceOf } = installedIn(["T1", "T2"], { "C1 1.000100": "T1" });
  const reply = { channel: "C1", thread_ts: "1.000100", text: "and more" };
  expect(await spaceOf(event(shared, reply))).toBe("T1");
  expect(await spaceOf(event(shared, { ...reply, thread_ts: "2.000100" }))).toBe("T2");
  const edited = { channel: "C1", text: undefined, message: { thread_ts: "1.000100", text: "edited" } };
  expect(await spaceOf(event(shared, edited))).toBe("T1");
});

test.each<[string, Payload]>([
  [
    "a delete",
    {
      subtype: "message_deleted",
      text: undefined,
      deleted_ts: "1.000300",
      previous_message: { ts: "1.000300", thread_ts: "1.000100", text: "never mind" },
    },
  ],
  [
    "a delete of the first message, of which only the words are known",
    {
      subtype: "message_deleted",
      text: undefined,
      deleted_ts: "3.000100",
      previous_message: { ts: "3.000100", text: "<@UBOTT1> hello" },
    },
  ],
  [
    "an emoji to the bot's message",
    {
      type: "reaction_added",
      channel: undefined,
      text: undefined,
      item: { type: "message", channel: "C1", ts: "1.000200" },
      item_user: "UBOTT1",
    },
  ],
  [
    "an emoji to the first message",
    {
      type: "reaction_removed",
      channel: undefined,
      text: undefined,
      item: { type: "message", channel: "C1", ts: "1.000100" },
      item_user: "U1",
    },
  ],
])("in a shared channel %s is for the install that the thread began with", async (_, inner) => {
  const { spaceOf } = installedIn(["T1", "T2"], { "C1 1.000100": "T1" });
  expect(await spaceOf(event(shared, { channel: "C1", ...inner }))).toBe("T1");
});

test.each<[string, Payload]>([
  [
    "a shortcut on a person's message",
    {
      type: "message_action",
      channel: { id: "C1" },
      message: { ts: "1.000200", thread_ts: "1.000100", user: "U1" },
    },
  ],
  [
    "a shortcut on the first message",
    { type: "message_action", channel: { id: "C1" }, message: { ts: "1.000100" } },
  ],
  [
    "a form",
    {
      type: "view_submission",
      view: {
        callback_id: "bobbin_goal",
        private_metadata: JSON.stringify({ channel: "C1", root: "1.000100" }),
        state: { values: { goal: { text: { value: "tidy up" } } } },
      },
    },
  ],
  [
    "a slash command with the address of a message",
    {
      type: undefined,
      command: "/bobbin",
      team_id: "T2",
      channel_id: "C1",
      text: "details <https://one.slack.com/archives/C1/p1000200?thread_ts=1.000100&amp;cid=C1>",
    },
  ],
])("%s of somebody from the other company is for the install that the thread began with", async (_, body) => {
  const threads = { "C1 1.000100": "T1" };
  expect(await installedIn(["T1", "T2"], threads).spaceOf(click({ team: { id: "T2" }, ...body }))).toBe("T1");
});

test("the address of a message in another channel takes a slash command nowhere else: whoever writes it may not be there", async () => {
  const { spaceOf } = installedIn(["T1", "T2"], { "C1 1.000100": "T1" });
  const text = "why https://one.slack.com/archives/C1/p1000100";
  const body = {
    type: undefined,
    command: "/bobbin",
    team: undefined,
    team_id: "T2",
    channel_id: "C9",
    text,
  };
  expect(await spaceOf(click(body))).toBe("T2");
});

const click = (more: Payload): Payload => ({
  type: "block_actions",
  team: { id: "T1" },
  user: { id: "U1", team_id: "T1" },
  enterprise: null,
  is_enterprise_install: false,
  ...more,
});

test.each<[string, readonly string[], Payload, string]>([
  ["the team's in which it was made", ["T1", "T2"], click({}), "T1"],
  [
    "of somebody from another workspace: theirs whose message it was made on",
    ["T1", "T2"],
    click({ message: { user: "UBOTT2", bot_id: "BBOTT2" } }),
    "T2",
  ],
  [
    "of a team without the app: theirs whose message it was made on",
    ["T2"],
    click({ message: { user: "UBOTT2", bot_id: "BBOTT2" } }),
    "T2",
  ],
  [
    "the organisation's",
    ["E1"],
    click({ team: { id: "T9" }, enterprise: { id: "E1" }, is_enterprise_install: true }),
    "E1",
  ],
  ["theirs whose view it is", ["T1", "T2"], click({ view: { app_installed_team_id: "T2" } }), "T2"],
  [
    "of a command in an organisation",
    ["E1"],
    { command: "/bobbin", team_id: "T9", enterprise_id: "E1", is_enterprise_install: "true" },
    "E1",
  ],
  ["nobody's", ["T2"], click({}), "nobody in T1"],
])("a click is %s", async (_, spaces, body, space) => {
  expect(await installedIn(spaces).spaceOf(body)).toBe(space);
});

test("beside the workspace of the environment there may be those of the store, and neither takes the other's place", async () => {
  const saved: string[] = [];
  const others: Installs = {
    save: ({ space }) => Promise.resolve(void saved.push(space)),
    find: (_, space) => Promise.resolve(space === "T2" ? install("T2") : undefined),
    list: () => Promise.resolve([install("T1"), install("T2")]),
    spaceOfBot: () => Promise.resolve("T2"),
    spaceOfThread: () => Promise.resolve("T2"),
    mark: () => Promise.resolve(true),
    remove: () => Promise.resolve(true),
    wasRemoved: () => Promise.resolve(false),
  };
  const { installs, identified } = withEnvironmentInstall("xoxb-own", others);
  // The other one is known also while Slack has not said whose the own is.
  expect((await installs.find("slack", "T2"))?.secret).toEqual({ kind: "open", value: "xoxb-T2" });
  identified({ space: "T1", user: "UOWN", bot: "BOWN", name: "bobbin" }, 1_000);
  const tokens = (await installs.list("slack")).map(({ secret }) => secret);
  expect(tokens).toEqual([
    { kind: "open", value: "xoxb-own" },
    { kind: "open", value: "xoxb-T2" },
  ]);
  expect(await installs.find("slack", "T3")).toBe(undefined);
  expect(await installs.spaceOfBot("slack", ["UOWN"])).toBe("T1");
  expect(await installs.spaceOfBot("slack", ["UBOTT2"])).toBe("T2");
  await installs.save(install("T2"), "xoxb-new");
  await expect(installs.save(install("T1"), "xoxb-new")).rejects.toThrow("SLACK_BOT_TOKEN");
  expect(saved).toEqual(["T2"]);
});

test("the workspace of the environment is an install like any other, and those of other workspaces are nobody's", async () => {
  const own = withEnvironmentInstall("xoxb-own", undefined);
  await expect(own.installs.find("slack", "T1")).rejects.toThrow("has not said yet");
  own.identified({ space: "T1", user: "UBOT", bot: "BBOT", name: "bobbin" }, 1_000);
  expect((await own.installs.find("slack", "T1"))?.secret).toEqual({ kind: "open", value: "xoxb-own" });
  expect(await own.installs.find("slack", "T2")).toBe(undefined);
  expect(await own.installs.spaceOfBot("slack", ["UBOT"])).toBe("T1");

  const known = await own.installs.find("slack", "T1");
  if (known === undefined) return expect.unreachable();
  expect(await own.installs.mark(known, "broken", "account_inactive")).toBe(true);
  expect(await own.installs.mark(known, "broken", "account_inactive")).toBe(false);
  expect(await own.installs.find("slack", "T1")).toMatchObject({ state: "broken", why: "account_inactive" });
  expect(await own.installs.remove("slack", "T1", 999)).toBe(false);
  expect(await own.installs.remove("slack", "T1", 2_000)).toBe(true);
  expect(await own.installs.find("slack", "T1")).toBe(undefined);
  expect(await own.installs.wasRemoved("slack", "T1")).toBe(true);
  expect(await own.installs.wasRemoved("slack", "T2")).toBe(false);
  expect(await own.installs.list("slack")).toEqual([]);
});
