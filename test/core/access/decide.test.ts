import { expect, test } from "vitest";
import { createAccess } from "../../../src/core/access/access.ts";
import { DEFAULT_ACCESS } from "../../../src/core/access/defaults.ts";
import type { AccessRules } from "../../../src/core/access/rules.ts";
import { gives, holds, lists, people, type Row } from "./cast.ts";

test.each<[string, Row]>([
  ["a member may speak", { who: "member", is: ["allow", "members: slack:T1:U1"] }],
  ["an admin may speak", { who: "admin", is: ["allow", "admins: slack:T1:U2"] }],
  ["a guest may not", { who: "guest", is: ["refuse", "guests: slack:T1:U3"] }],
  ["somebody of another company may not", { who: "external", is: ["refuse", "external: slack:T1:U4"] }],
  ["who is not known counts as a member", { who: "stranger", is: ["allow", "unknown: "] }],
  [
    "unless that is not wanted",
    { rules: { unknown: "nobody" }, who: "stranger", is: ["refuse", "unknown: "] },
  ],
  [
    "guests may where they are let in",
    { rules: { guests: "everyone" }, who: "guest", is: ["allow", "guests: "] },
  ],
  [
    "one guest may who is named",
    { rules: { guests: { users: ["slack:T1:U3"] } }, who: "guest", is: ["allow", "guests: "] },
  ],
  [
    "and no other",
    { rules: { guests: { users: ["slack:T1:U9"] } }, who: "guest", is: ["refuse", "guests: "] },
  ],
  [
    "people of other companies may where they are let in",
    { rules: { external: "everyone" }, who: "external", is: ["allow", "external: "] },
  ],

  [
    "in a denied space nobody may",
    {
      rules: { spaces: lists(undefined, ["slack:T1"]) },
      who: "admin",
      is: ["refuse", "spaces.deny: slack:T1"],
    },
  ],
  [
    "in another space they may",
    { rules: { spaces: lists(undefined, ["slack:T2"]) }, who: "member", is: ["allow", "members"] },
  ],
  [
    "in a space that is not on the list nobody may",
    { rules: { spaces: lists(["slack:T2"]) }, who: "admin", is: ["refuse", "spaces.allow: "] },
  ],
  [
    "in one that is on it they may",
    { rules: { spaces: lists(["slack:T1"]) }, who: "member", is: ["allow", "members"] },
  ],

  [
    "in a denied channel nobody may speak",
    {
      rules: { channels: lists(undefined, ["slack:T1:C1"]) },
      who: "admin",
      is: ["refuse", "channels.deny: slack:T1:C1"],
    },
  ],
  [
    "but an admin may ask why there",
    {
      rules: { channels: lists(undefined, ["slack:T1:C1"]) },
      who: "admin",
      what: gives("why"),
      is: ["allow", "admins"],
    },
  ],
  [
    "in another channel they may",
    {
      rules: { channels: lists(undefined, ["slack:T1:C1"]) },
      who: "member",
      channel: "C2",
      is: ["allow", "members"],
    },
  ],
  [
    "in a channel that is not on the list nobody may",
    { rules: { channels: lists(["slack:T1:C2"]) }, who: "member", is: ["refuse", "channels.allow: "] },
  ],
  [
    "in one that is on it they may",
    { rules: { channels: lists(["slack:T1:C1"]) }, who: "member", is: ["allow", "members"] },
  ],
  [
    "a list of channels is not about direct messages",
    {
      rules: { channels: lists(["slack:T1:C2"]) },
      who: "member",
      direct: true,
      channel: "D1",
      is: ["allow", "members"],
    },
  ],

  [
    "a denied person may not, also where they are allowed and an admin",
    {
      rules: { users: lists(["slack:T1:U2"], ["slack:*:U2"]) },
      who: "admin",
      is: ["refuse", "users.deny: slack:T1:U2"],
    },
  ],
  [
    "who is not on the list may not",
    { rules: { users: lists(["slack:T1:U9"]) }, who: "member", is: ["refuse", "users.allow: "] },
  ],
  [
    "who is on it may",
    { rules: { users: lists(["slack:T1:U1"]) }, who: "member", is: ["allow", "users.allow: "] },
  ],
  [
    "S18: a list on which nobody is lets nobody in",
    { rules: { users: lists([]) }, who: "member", is: ["refuse", "users.allow: "] },
  ],
  [
    "S18: nor does one of roles, or of channels",
    { rules: { roles: lists([]), channels: lists([]) }, who: "member", is: ["refuse", "channels.allow: "] },
  ],
  [
    "the same id in another space is somebody else",
    { rules: { users: lists(["slack:T2:U1"]) }, who: "member", is: ["refuse", "users.allow: "] },
  ],
  [
    "an admin needs no list",
    { rules: { users: lists(["slack:T1:U9"]) }, who: "admin", is: ["allow", "admins"] },
  ],
  [
    "a guest on the list is still a guest",
    { rules: { users: lists(["slack:T1:U3"]) }, who: "guest", is: ["refuse", "guests: "] },
  ],
  [
    "a denied role may not",
    {
      rules: { roles: lists(undefined, ["slack:T1:R1"]) },
      who: { ...people.member, roles: ["R1"] },
      is: ["refuse", "roles.deny: slack:T1:U1 has slack:T1:R1"],
    },
  ],
  [
    "who has an allowed role may",
    {
      rules: { roles: lists(["slack:T1:R1"]) },
      who: { ...people.member, roles: ["R0", "R1"] },
      is: ["allow", "roles.allow: slack:T1:U1 has slack:T1:R1"],
    },
  ],
  [
    "who has none may not",
    {
      rules: { roles: lists(["slack:T1:R1"]) },
      who: "member",
      is: ["refuse", "roles.allow: slack:T1:U1 is not on it"],
    },
  ],
  [
    "a person or a role is enough",
    {
      rules: { roles: lists(["slack:T1:R1"]), users: lists(["slack:T1:U1"]) },
      who: "member",
      is: ["allow", "users.allow: "],
    },
  ],
  [
    "roles that are not known allow nothing",
    { rules: { roles: lists(["slack:T1:R1"]) }, who: "stranger", is: ["refuse", "roles.allow: which roles"] },
  ],
  [
    "nor do they pass a denied role",
    {
      rules: { roles: lists(undefined, ["slack:T1:R1"]) },
      who: "stranger",
      is: ["refuse", "roles.deny: which roles"],
    },
  ],
  [
    "roles of another space concern nobody here",
    { rules: { roles: lists(undefined, ["discord:G1:R1"]) }, who: "stranger", is: ["allow", "unknown"] },
  ],

  [
    "who may not write directly is told so",
    { rules: { direct: "admins" }, who: "member", direct: true, is: ["refuse", "direct: "] },
  ],
  ["admins may then", { rules: { direct: "admins" }, who: "admin", direct: true, is: ["allow", "admins"] }],
  [
    "and nobody may where it is off",
    { rules: { direct: "nobody" }, who: "admin", direct: true, is: ["refuse", "direct: "] },
  ],
  [
    "in a channel that says nothing",
    { rules: { direct: "nobody" }, who: "member", is: ["allow", "members"] },
  ],
])("%s", (_, row) => holds(row));

test.each<[Partial<AccessRules>, boolean]>([
  [{}, true],
  [{ spaces: { deny: ["slack:T1"] } }, false],
  [{ spaces: { deny: ["discord:T1"] } }, true],
  [{ spaces: { allow: ["slack:T2"], deny: [] } }, false],
  [{ spaces: { allow: ["slack:T1"], deny: [] } }, true],
  [{ spaces: { allow: ["slack:*"], deny: ["slack:T1"] } }, false],
])("by the rules %j the app may be installed in T1: %s", (rules, may) => {
  expect(createAccess({ ...DEFAULT_ACCESS, ...rules }).ofSpace("slack", "T1")).toBe(may);
});

test("who is kept out for a role, or of whom that could not be learnt, sees no page either", () => {
  const rules: AccessRules = { ...DEFAULT_ACCESS, roles: { deny: ["slack:T1:admin"] } };
  const space = { platform: "slack", space: "T1" } as const;
  const { roles: _, ...untold } = people.admin;
  expect(createAccess(DEFAULT_ACCESS).roleOf(people.admin, space)).toBe("admin");
  expect(createAccess(rules).roleOf(people.admin, space)).toBeUndefined();
  expect(createAccess(rules).roleOf(untold, space)).toBeUndefined();
  expect(createAccess(rules).roleOf({ ...people.admin, roles: [] }, space)).toBe("admin");
});
