// What Discord says of somebody who wants to see the admin pages, at the moment they do.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { createDiscordChannelsNow } from "../../../src/adapters/discord/channels-now.ts";
import { createDiscordPeopleNow } from "../../../src/adapters/discord/people-now.ts";
import { accessWith } from "../../support/access.ts";
import { silentLog } from "../../support/silent-log.ts";

const GUILD = "100000000000000001";
const MANAGES = "200000000000000001";
const PLAIN = "200000000000000002";
const ANA = "300000000000000001";
const BEA = "300000000000000002";
const OWNER = "300000000000000003";

test("who manages the server, or owns it, is an admin; a member is none, and who has left is nobody", async () => {
  await using stack = new AsyncDisposableStack();
  const members: Record<string, readonly string[]> = { [ANA]: [PLAIN], [BEA]: [PLAIN, MANAGES], [OWNER]: [] };
  let isAway = false;
  const guild = {
    id: GUILD,
    owner_id: OWNER,
    roles: [
      { id: GUILD, permissions: "1024" },
      { id: MANAGES, permissions: "32" },
      { id: PLAIN, permissions: "2048" },
    ],
  };
  const server = createServer((request, response) => {
    const [, user] = /\/members\/(\d+)$/.exec(request.url ?? "") ?? [];
    const roles = user === undefined ? undefined : members[user];
    const member = roles && {
      roles,
      user: { id: user, username: `u${user}`, global_name: null },
      nick: null,
    };
    const isGuild = request.url?.endsWith(`/guilds/${GUILD}`) === true;
    const answer = isGuild ? guild : member;
    const status = isAway ? 503 : answer === undefined ? 404 : 200;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { code: 10007, message: "Unknown Member" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  stack.defer(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const api = createDiscordApi({ log: silentLog }, { token: "t", apiUrl: `http://127.0.0.1:${port}/api` });
  stack.defer(() => api.close());
  const now = createDiscordPeopleNow({ api });
  const access = accessWith({ admins: { platform: true, users: [`discord:*:${ANA}`], roles: [] } });
  const plain = accessWith();
  const space = { platform: "discord", space: GUILD } as const;
  const roleOf = async (person: string, rules = plain) => {
    const author = await now.look({ ...space, person });
    return author === undefined ? "nobody" : (rules.roleOf(author, space) ?? "none");
  };
  expect(await roleOf(ANA)).toBe("none");
  expect(await roleOf(ANA, access)).toBe("admin");
  expect(await roleOf(BEA)).toBe("admin");
  expect(await roleOf(OWNER)).toBe("admin");
  members[BEA] = [PLAIN];
  expect(await roleOf(BEA)).toBe("none");
  delete members[BEA];
  expect(await roleOf(BEA)).toBe("nobody");
  isAway = true;
  await expect(roleOf(ANA)).rejects.toThrow("does not say");
  // In a conversation with the bot alone only a list makes an admin.
  const direct = { platform: "discord", space: "dm" } as const;
  const author = await now.look({ ...direct, person: ANA });
  expect(author && [plain.roleOf(author, direct), access.roleOf(author, direct)]).toEqual([
    undefined,
    "admin",
  ]);
});

test("a channel is private where not everybody sees it, a thread where it is private itself or hangs in such a one", async () => {
  await using stack = new AsyncDisposableStack();
  const hides = [{ id: GUILD, type: 0, allow: "0", deny: "1024" }];
  const others = [{ id: PLAIN, type: 0, allow: "0", deny: "1024" }];
  const channels: Record<string, object> = {
    open: { type: 0, permission_overwrites: others },
    hidden: { type: 0, permission_overwrites: hides },
    "thread-open": { type: 11, parent_id: "open" },
    "thread-hidden": { type: 11, parent_id: "hidden" },
    "thread-private": { type: 12, parent_id: "open" },
  };
  let isAway = false;
  const server = createServer((request, response) => {
    const found = channels[request.url?.split("/").at(-1) ?? ""];
    response.writeHead(isAway ? 503 : found === undefined ? 404 : 200, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(found ?? { code: 10003, message: "Unknown Channel" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  stack.defer(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const api = createDiscordApi({ log: silentLog }, { token: "t", apiUrl: `http://127.0.0.1:${port}/api` });
  stack.defer(() => api.close());
  const now = createDiscordChannelsNow({ api });
  const isPrivate = (channel: string, space = GUILD) =>
    now.isPrivate({ platform: "discord", space, channel });
  const said = await Promise.all([...Object.keys(channels), "gone"].map((channel) => isPrivate(channel)));
  expect(said).toEqual([false, true, false, true, true, true]);
  expect(await isPrivate("gone", "dm")).toBe(false);
  isAway = true;
  await expect(isPrivate("open")).rejects.toThrow("does not say");
});
