// Which install goes when Slack says that the app was removed, where a workspace and its organisation may both have one.
import { expect, test } from "vitest";
import { createDeliveries } from "../../../src/adapters/slack/deliveries.ts";
import type { Payload } from "../../../src/adapters/slack/payload.ts";
import { createSlackSpaces } from "../../../src/adapters/slack/spaces.ts";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Install, Installs } from "../../../src/core/ports/installs.ts";
import { silentLog } from "../../support/silent-log.ts";

const clock = createSystemClock();

/** Slack may give both installs of one app the same user. */
const install = (space: string): Install => ({
  platform: "slack",
  space,
  name: space,
  bot: { user: "UBOT", id: "BBOT", name: "bobbin" },
  scopes: [],
  installedBy: "",
  at: 0,
  revision: 1,
  state: "active",
  secret: { kind: "open", value: `xoxb-${space}` },
});

/** @returns the spaces that the news took away. */
async function takenBy(
  news: Payload,
  there: readonly string[],
  before: readonly string[],
): Promise<readonly string[]> {
  const gone: string[] = [];
  const installs: Pick<Installs, "find" | "mark" | "remove" | "spaceOfBot" | "spaceOfThread" | "wasRemoved"> =
    {
      find: (_, space) => Promise.resolve(there.includes(space) ? install(space) : undefined),
      mark: () => Promise.resolve(false),
      remove: (_, space) => Promise.resolve(gone.push(space) > 0),
      spaceOfBot: () => Promise.resolve(undefined),
      spaceOfThread: () => Promise.resolve(undefined),
      wasRemoved: (_, space) => Promise.resolve(before.includes(space)),
    };
  const spaces = createSlackSpaces({
    installs,
    learn: () => {},
    pacer: createLocalPacer(clock),
    clock,
    log: silentLog,
  });
  const take = createDeliveries({
    spaces,
    installs,
    receiveOf: () => () => expect.unreachable("it is no delivery of theirs"),
    departed: () => Promise.resolve(),
    log: silentLog,
  });
  await take({ type: "event_callback", event_time: 1, ...news });
  return gone;
}

const uninstalled = { event: { type: "app_uninstalled" } };
const revoked = { event: { type: "tokens_revoked", tokens: { bot: ["UBOT"], oauth: [] } } };
const wide = (team: string, enterprise?: string): Payload => ({
  authorizations: [{ team_id: team, enterprise_id: enterprise ?? null, is_enterprise_install: true }],
});

test.each<[string, Payload, readonly string[], readonly string[], readonly string[]]>([
  [
    "a workspace's own install goes with its news",
    { ...uninstalled, team_id: "T1", enterprise_id: "E1" },
    ["T1", "E1"],
    [],
    ["T1"],
  ],
  [
    "a workspace that lets the app go takes nothing from its organisation",
    { ...uninstalled, team_id: "T1", enterprise_id: "E1" },
    ["E1"],
    [],
    [],
  ],
  [
    "its second word does not either, once its own install is gone",
    { ...revoked, team_id: "T1", enterprise_id: "E1" },
    ["E1"],
    ["T1"],
    [],
  ],
  [
    "an organisation's news comes by way of a workspace",
    { ...revoked, team_id: "T1", enterprise_id: "E1" },
    ["E1"],
    [],
    ["E1"],
  ],
  [
    "an organisation's news takes the organisation's",
    { ...uninstalled, ...wide("T1", "E1") },
    ["T1", "E1"],
    [],
    ["E1"],
  ],
  [
    "told twice, it takes nothing from a workspace with an install of its own",
    { ...uninstalled, ...wide("T1", "E1") },
    ["T1"],
    ["E1"],
    [],
  ],
  ["without the organisation's name it is nobody's", { ...uninstalled, ...wide("T1") }, ["T1"], [], []],
])("%s", async (_, news, there, before, taken) => {
  expect(await takenBy(news, there, before)).toEqual(taken);
});
