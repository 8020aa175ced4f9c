// What Slack says of somebody who wants to see the admin pages, at the moment they do.
import { expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { withEnvironmentInstall } from "../../../src/adapters/slack/environment-install.ts";
import { identify } from "../../../src/adapters/slack/identify.ts";
import { createSlackApi } from "../../../src/adapters/slack/api.ts";
import { factsIn } from "../../../src/adapters/slack/people.ts";
import { createSlackChannelsNow } from "../../../src/adapters/slack/channels-now.ts";
import { createSlackPeopleNow } from "../../../src/adapters/slack/people-now.ts";
import { createSlackSpaces } from "../../../src/adapters/slack/spaces.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { accessWith } from "../../support/access.ts";
import { silentLog } from "../../support/silent-log.ts";
import { createLocalSlack } from "../../support/slack/local-slack.ts";

async function openSpaces(stack: AsyncDisposableStack) {
  const clock = createSystemClock();
  const slack = await createLocalSlack();
  stack.use(slack);
  const token = slack.app.botToken;
  const own = withEnvironmentInstall(token, undefined);
  const elsewhere = { apiUrl: slack.slackApiUrl };
  own.identified(await identify(createSlackApi({ clock }, { token, ...elsewhere })), clock.now());
  const spaces = createSlackSpaces(
    { installs: own.installs, learn: () => {}, pacer: createLocalPacer(clock), clock, log: silentLog },
    elsewhere,
  );
  stack.defer(() => spaces.stop());
  return { slack, spaces };
}

test("a channel is private where Slack says so, or where the bot cannot see it; where Slack says nothing it is not known", async () => {
  await using stack = new AsyncDisposableStack();
  const { slack, spaces } = await openSpaces(stack);
  const now = createSlackChannelsNow(spaces);
  const isPrivate = (channel: string, space = slack.teamId) =>
    now.isPrivate({ platform: "slack", space, channel });
  expect(await isPrivate(slack.channel("open").id)).toBe(false);
  expect(await isPrivate(slack.channel("hidden", { kind: "private" }).id)).toBe(true);
  expect(await isPrivate(slack.channel("left", { kind: "private", hasBot: false }).id)).toBe(true);
  expect(await isPrivate("C0NOWHERE")).toBe(true);
  expect(await isPrivate("D0ANYBODY")).toBe(false);
  expect(await isPrivate("C0NOWHERE", "T0GONE")).toBeUndefined();
});

test("an admin is one as long as Slack says so; guests, strangers, the deactivated and the unknown never are", async () => {
  await using stack = new AsyncDisposableStack();
  const { slack, spaces } = await openSpaces(stack);
  const now = createSlackPeopleNow(spaces);
  const access = accessWith();
  const space = { platform: "slack", space: slack.teamId } as const;
  const roleOf = async (person: string, of: { platform: "slack"; space: string } = space) => {
    const author = await now.look({ ...of, person });
    return author === undefined ? "nobody" : (access.roleOf(author, of) ?? "none");
  };
  const people = {
    admin: slack.person("Bea", { role: "admin" }),
    owner: slack.person("Cy", { role: "owner" }),
    member: slack.person("Ana"),
    guest: slack.person("Gus", { role: "guest" }),
    stranger: slack.person("Sam", { role: "admin", teamId: "T0ELSEWHERE" }),
  };
  const roles = await Promise.all(
    Object.entries(people).map(async ([what, { id }]) => [what, await roleOf(id)]),
  );
  expect(Object.fromEntries(roles)).toEqual({
    admin: "admin",
    owner: "admin",
    member: "none",
    guest: "none",
    stranger: "none",
  });
  expect(await roleOf("U0NOBODY")).toBe("nobody");
  expect(await roleOf(people.admin.id, { platform: "slack", space: "T0GONE" })).toBe("nobody");
  slack.deactivate(people.admin);
  expect(await roleOf(people.admin.id)).toBe("nobody");
});

test("where the app is installed in a whole organisation an admin of one of its workspaces is none", () => {
  const ofWorkspace = { is_admin: true, is_owner: true, is_primary_owner: true };
  const ofAll = { enterprise_user: { is_admin: true, is_owner: false } };
  expect(factsIn(ofWorkspace, true).admin).toEqual({ isAdmin: false, isOwner: false });
  expect(factsIn(ofWorkspace).admin).toEqual({ isAdmin: true, isOwner: true });
  expect(factsIn(ofAll, true).admin).toEqual({ isAdmin: true, isOwner: false });
});
