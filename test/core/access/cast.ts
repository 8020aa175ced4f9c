// Who asks in the tables of the rules, and what is expected of a row.
import { expect } from "vitest";
import { decide, type Request } from "../../../src/core/access/decide.ts";
import { DEFAULT_ACCESS } from "../../../src/core/access/defaults.ts";
import type { AccessRules } from "../../../src/core/access/rules.ts";
import type { CommandName } from "../../../src/core/command/command.ts";
import type { Author } from "../../../src/core/inbound.ts";

export const place = { platform: "slack", space: "T1", channel: "C1" } as const;
export const people = {
  member: { id: "U1", name: "Ana", kind: "member", roles: [], isPlatformAdmin: false },
  admin: { id: "U2", name: "Ada", kind: "member", roles: ["admin"], isPlatformAdmin: true },
  guest: { id: "U3", name: "Gus", kind: "guest", roles: [], isPlatformAdmin: false },
  external: { id: "U4", name: "Eve", kind: "external", roles: [], isPlatformAdmin: false },
  bot: { id: "B5", name: "ci", kind: "bot" },
  stranger: { id: "U6", name: "U6" },
} as const satisfies Record<string, Author>;
type Who = keyof typeof people;

const says: Request["what"] = { kind: "message", isAddressed: true };
export const talks: Request["what"] = { kind: "message", isAddressed: false };
export const gives = (name: CommandName): Request["what"] => ({ kind: "command", name });

export interface Row {
  readonly rules?: Partial<AccessRules>;
  readonly who: Who | Author;
  readonly what?: Request["what"];
  readonly channel?: string;
  readonly direct?: true;
  readonly counts?: Parameters<typeof decide>[2];
  /** The kind of the decision, and how its rule begins. */
  readonly is: readonly ["allow" | "refuse" | "ignore", string];
}

export const lists = (allow: readonly string[] | undefined, deny: readonly string[] = []) =>
  allow === undefined ? { deny } : { allow, deny };
export const hour = { withinMs: 3_600_000 };

export function holds({ rules = {}, who, what = says, channel = "C1", direct, counts, is }: Row): void {
  const asker = typeof who === "string" ? people[who] : who;
  const request: Request = { who: asker, place: { ...place, channel }, isDirect: direct === true, what };
  const decision = decide({ ...DEFAULT_ACCESS, ...rules }, request, counts);
  expect([decision.kind, decision.rule.slice(0, is[1].length)]).toEqual(is);
  if (decision.kind === "refuse") expect(decision.answer).not.toMatch(/slack:T1|U\d|deny|allow/);
}
