/** Access as intake and commands use it: an inbound becomes a request, and a decision becomes what is stored with it. */

import type { CommandName } from "../command/command.ts";
import type { Author, Inbound, Where } from "../inbound.ts";
import type { Admission } from "../ports/inbox.ts";
import { threadOf, type Platform, type SessionId, type Thread } from "../thread.ts";
import {
  addressIn,
  decide,
  deniedPerson,
  isAdmin,
  isReviewer,
  type Decision,
  type Request,
} from "./decide.ts";
import { isListed, type AccessRules } from "./rules.ts";

export interface Access {
  decide(inbound: Inbound): Decision;
  /** Whether this person may give this command there. */
  ofCommand(name: CommandName, who: Author, place: Request["place"], where?: Where): Decision;
  /** Whether this person is an admin there. */
  isAdmin(who: Author, place: Request["place"]): boolean;
  /** Which pages this person may see of that space; undefined for none. */
  roleOf(who: Author, space: Pick<Thread, "platform" | "space">): "admin" | "reviewer" | undefined;
  /** Whether the bot may be there at all. */
  ofSpace(platform: Platform, space: string): boolean;
}

export function createAccess(rules: AccessRules): Access {
  return {
    decide(inbound) {
      const what = whatOf(inbound);
      // Whoever has said something may take it back, and what the bot notes is its own.
      if (what === undefined) return { kind: "allow", rule: "", limits: [] };
      const { author: who, where } = inbound;
      return decide(rules, { who, place: placeIn(inbound), isDirect: where?.isDirect === true, what });
    },
    ofCommand: (name, who, place, where = {}) =>
      decide(rules, {
        who,
        place: { ...place, channel: where.parent ?? place.channel },
        isDirect: where.isDirect === true,
        what: { kind: "command", name },
      }),
    isAdmin: (who, place) =>
      isAdmin(rules, { who, place, isDirect: false, what: { kind: "command", name: "goal" } }),
    roleOf(who, space) {
      const request: Request = {
        who,
        place: { ...space, channel: "" },
        isDirect: false,
        what: { kind: "command", name: "transcript" },
      };
      if (deniedPerson(rules, request) !== undefined) return undefined;
      if (isAdmin(rules, request)) return "admin";
      return isReviewer(rules, request) ? "reviewer" : undefined;
    },
    ofSpace(platform, space) {
      const { allow, deny } = rules.spaces;
      const address = `${platform}:${space}`;
      return !isListed(deny, address) && (allow === undefined || isListed(allow, address));
    },
  };
}

/** What the inbox is told; undefined for what is not stored at all. */
export function admissionOf(decision: Decision, inbound: Inbound): Admission | undefined {
  switch (decision.kind) {
    case "ignore":
      return undefined;
    case "refuse":
      return { rule: decision.rule, isRefused: true };
    case "allow": {
      const { rule, limits } = decision;
      if (limits.length === 0) return { rule };
      const place = placeIn(inbound);
      const who = addressIn({ place }, inbound.author.id);
      return { rule, counted: { limits, who, place: addressIn({ place }, place.channel) } };
    }
    default:
      return decision satisfies never;
  }
}

/** What the person is told of a refusal by this rule. */
export function answerTo(decision: Decision, rule: string): string | undefined {
  if (decision.kind === "refuse") return decision.rule === rule ? decision.answer : undefined;
  return decision.kind === "allow" ? decision.limits.find((limit) => limit.rule === rule)?.answer : undefined;
}

function whatOf(inbound: Inbound): Request["what"] | undefined {
  switch (inbound.kind) {
    case "message":
      return { kind: "message", isAddressed: inbound.addressed };
    case "edit":
      return { kind: "edit" };
    case "command": {
      const { name } = inbound.command;
      // What is only read of a goal, or paused, makes no inbound.
      return { kind: "command", name, ...(name === "goal" ? { asksForWork: true } : {}) };
    }
    case "delete":
    case "note":
      return undefined;
    default:
      return inbound satisfies never;
  }
}

function placeIn({
  session,
  where,
}: {
  readonly session: SessionId;
  readonly where?: Where;
}): Request["place"] {
  const thread: Thread = threadOf(session);
  return where?.parent === undefined ? thread : { ...thread, channel: where.parent };
}
