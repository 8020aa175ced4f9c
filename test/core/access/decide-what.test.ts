// What people and bots may do, and how often.
import { expect, test } from "vitest";
import { decide } from "../../../src/core/access/decide.ts";
import { DEFAULT_ACCESS } from "../../../src/core/access/defaults.ts";
import type { CommandName } from "../../../src/core/command/command.ts";
import type { Author } from "../../../src/core/inbound.ts";
import { gives, holds, hour, lists, people, place, talks, type Row } from "./cast.ts";

test.each<[string, Row]>([
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
])("%s", (_, row) => holds(row));

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
