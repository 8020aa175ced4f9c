import { expect, test } from "vitest";
import { decide, type Request } from "../../../src/core/access/decide.ts";
import { DEFAULT_ACCESS } from "../../../src/core/access/defaults.ts";
import type { AccessRules } from "../../../src/core/access/rules.ts";
import type { CommandName } from "../../../src/core/command/command.ts";
import type { Author } from "../../../src/core/inbound.ts";

const place = { platform: "slack", space: "T1", channel: "C1" } as const;
const people = {
  member: { id: "U1", name: "Ana", kind: "member", roles: [], isPlatformAdmin: false },
  admin: { id: "U2", name: "Ada", kind: "member", roles: ["admin"], isPlatformAdmin: true },
  guest: { id: "U3", name: "Gus", kind: "guest", roles: [], isPlatformAdmin: false },
  external: { id: "U4", name: "Eve", kind: "external", roles: [], isPlatformAdmin: false },
  bot: { id: "B5", name: "ci", kind: "bot" },
  stranger: { id: "U6", name: "U6" },
} as const satisfies Record<string, Author>;
type Who = keyof typeof people;

const says: Request["what"] = { kind: "message", isAddressed: true };
const talks: Request["what"] = { kind: "message", isAddressed: false };
const gives = (name: CommandName): Request["what"] => ({ kind: "command", name });

interface Row {
  readonly rules?: Partial<AccessRules>;
  readonly who: Who | Author;
  readonly what?: Request["what"];
  readonly channel?: string;
  readonly direct?: true;
  readonly counts?: Parameters<typeof decide>[2];
  /** The kind of the decision, and how its rule begins. */
  readonly is: readonly ["allow" | "refuse" | "ignore", string];
}

const lists = (allow: readonly string[] | undefined, deny: readonly string[] = []) =>
  allow === undefined ? { deny } : { allow, deny };
const hour = { withinMs: 3_600_000 };

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

  ["a member may give a command", { who: "member", what: gives("reset"), is: ["allow", "members"] }],
  [
    "why is for admins",
    { who: "member", what: gives("why"), is: ["refuse", "commands.why: only admins may, and slack:T1:U1"] },
  ],
  ["and admins have it", { who: "admin", what: gives("why"), is: ["allow", "admins"] }],
  [
    "who is not known to be one has it not",
    { who: "stranger", what: gives("why"), is: ["refuse", "commands.why: only admins may, and whether"] },
  ],
  [
    "nor has a member of whom that was not said",
    {
      who: { id: "U1", name: "Ana", kind: "member" },
      what: gives("why"),
      is: ["refuse", "commands.why: only admins may, and whether"],
    },
  ],
  [
    "a command may be for some",
    {
      rules: { commands: { ...DEFAULT_ACCESS.commands, reset: { users: ["slack:T1:U1"] } } },
      who: "member",
      what: gives("reset"),
      is: ["allow", "members"],
    },
  ],
  [
    "and for no others",
    {
      rules: { commands: { ...DEFAULT_ACCESS.commands, reset: { users: ["slack:T1:U9"] } } },
      who: "admin",
      what: gives("reset"),
      is: ["refuse", "commands.reset: only some may"],
    },
  ],
  [
    "a message is no command",
    {
      rules: { commands: { ...DEFAULT_ACCESS.commands, reset: "nobody" } },
      who: "member",
      is: ["allow", "members"],
    },
  ],

  [
    "a person on the list of admins is one",
    {
      rules: { admins: { platform: true, users: ["slack:T1:U1"], roles: [] } },
      who: "member",
      what: gives("why"),
      is: ["allow", "admins"],
    },
  ],
  [
    "so is one with a role on it",
    {
      rules: { admins: { platform: true, users: [], roles: ["slack:T1:R1"] } },
      who: { ...people.member, roles: ["R1"] },
      what: gives("why"),
      is: ["allow", "admins"],
    },
  ],
  [
    "the platform's admins are none where that is off",
    {
      rules: { admins: { platform: false, users: [], roles: [] } },
      who: "admin",
      what: gives("why"),
      is: ["refuse", "commands.why: "],
    },
  ],
  ...(["guest", "external", "stranger"] as const).map((who): [string, Row] => [
    `a ${who} is never an admin, also on the list and by the platform's word`,
    {
      rules: {
        guests: "everyone",
        external: "everyone",
        admins: { platform: true, users: [`slack:T1:${people[who].id}`], roles: [] },
      },
      who: { ...people[who], isPlatformAdmin: true },
      what: gives("why"),
      is: ["refuse", "commands.why: "],
    },
  ]),

  ["another bot is not heard", { who: "bot", is: ["ignore", "bots.allow: the bot slack:T1:B5"] }],
  [
    "one on the list is",
    {
      rules: { bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:B5"] } },
      who: "bot",
      is: ["allow", "bots.allow: slack:T1:B5"],
    },
  ],
  [
    "but only where it mentions the bot",
    {
      rules: { bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:B5"] } },
      who: "bot",
      what: talks,
      is: ["ignore", "bots.allow: "],
    },
  ],
  [
    "and it gives no commands",
    {
      rules: { bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:B5"] } },
      who: "bot",
      what: gives("stop"),
      is: ["ignore", "bots.allow: "],
    },
  ],
  [
    "nor more than so many messages in a thread",
    {
      rules: { bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:B5"] } },
      who: "bot",
      counts: { pair: 5 },
      is: ["refuse", "bots: slack:T1:B5 had 5 within 60 minutes"],
    },
  ],
  [
    "one below that is taken",
    {
      rules: { bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:B5"] } },
      who: "bot",
      counts: { pair: 4 },
      is: ["allow", "bots.allow: "],
    },
  ],
  [
    "a listed bot in a denied channel is refused",
    {
      rules: {
        bots: { ...DEFAULT_ACCESS.bots, allow: ["slack:T1:B5"] },
        channels: lists(undefined, ["slack:T1:C1"]),
      },
      who: "bot",
      is: ["refuse", "channels.deny: "],
    },
  ],

  [
    "who has asked too much is refused",
    {
      rules: { limits: { user: { most: 2, ...hour } } },
      who: "member",
      counts: { user: 2 },
      is: ["refuse", "limits.user: slack:T1:U1 had 2 within 60 minutes"],
    },
  ],
  [
    "the last one below that is taken",
    {
      rules: { limits: { user: { most: 2, ...hour } } },
      who: "member",
      counts: { user: 1 },
      is: ["allow", "members"],
    },
  ],
  [
    "a channel that has asked too much is refused",
    {
      rules: { limits: { channel: { most: 2, ...hour } } },
      who: "member",
      counts: { channel: 2 },
      is: ["refuse", "limits.channel: slack:T1:C1"],
    },
  ],
  [
    "an admin has no limit",
    {
      rules: { limits: { user: { most: 2, ...hour }, channel: { most: 2, ...hour } } },
      who: "admin",
      counts: { user: 9, channel: 9 },
      is: ["allow", "admins"],
    },
  ],
  [
    "nobody is kept from a stop",
    {
      rules: { limits: { user: { most: 2, ...hour } } },
      who: "member",
      what: gives("stop"),
      counts: { user: 9 },
      is: ["allow", "members"],
    },
  ],
  [
    "a retry is work as well",
    {
      rules: { limits: { user: { most: 2, ...hour } } },
      who: "member",
      what: gives("retry"),
      counts: { user: 9 },
      is: ["refuse", "limits.user: "],
    },
  ],
])("%s", (_, { rules = {}, who, what = says, channel = "C1", direct, counts, is }) => {
  const asker = typeof who === "string" ? people[who] : who;
  const request: Request = { who: asker, place: { ...place, channel }, isDirect: direct === true, what };
  const decision = decide({ ...DEFAULT_ACCESS, ...rules }, request, counts);
  expect([decision.kind, decision.rule.slice(0, is[1].length)]).toEqual(is);
  if (decision.kind === "refuse") expect(decision.answer).not.toMatch(/slack:T1|U\d|deny|allow/);
});

test("every command can be for everybody, for admins and for nobody, and each holds for that command alone", () => {
  const names = Object.keys(DEFAULT_ACCESS.commands) as CommandName[];
  for (const name of names) {
    for (const other of names) {
      const kindFor = (audience: "everyone" | "admins" | "nobody", who: Author): string => {
        const commands = { ...DEFAULT_ACCESS.commands, [other]: "everyone", [name]: audience };
        return decide({ ...DEFAULT_ACCESS, commands }, { who, place, isDirect: false, what: gives(other) })
          .kind;
      };
      const isSame = name === other;
      expect([name, other, kindFor("everyone", people.member)]).toEqual([name, other, "allow"]);
      expect([name, other, kindFor("admins", people.member)]).toEqual([
        name,
        other,
        isSame ? "refuse" : "allow",
      ]);
      expect([name, other, kindFor("admins", people.admin)]).toEqual([name, other, "allow"]);
      expect([name, other, kindFor("nobody", people.admin)]).toEqual([
        name,
        other,
        isSame ? "refuse" : "allow",
      ]);
    }
  }
});
