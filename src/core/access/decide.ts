/**
 * The rules of access as one pure function: who, where and what become a decision with the rule that made it. The first rule
 * that speaks counts, in the order in which they stand here.
 */

import type { CommandName } from "../command/command.ts";
import type { Author } from "../inbound.ts";
import type { Thread } from "../thread.ts";
import { isListed, type AccessRules, type Address, type Audience, type Lists, type Rate } from "./rules.ts";

export interface Request {
  readonly who: Author;
  readonly place: Pick<Thread, "platform" | "space" | "channel">;
  readonly isDirect: boolean;
  readonly what:
    | { readonly kind: "message"; readonly isAddressed: boolean }
    /** A correction of what was said before. */
    | { readonly kind: "edit" }
    /** `asksForWork`: of a command that asks the model only sometimes, this one does: it counts like a message. */
    | { readonly kind: "command"; readonly name: CommandName; readonly asksForWork?: true };
}

/** How many of the kind there may be; it is counted where the message is stored. */
export interface Limit extends Rate {
  readonly by: "user" | "channel" | "pair";
  /** The decision when there are as many already. */
  readonly rule: string;
  readonly answer: string;
}

/** How many there were within the time of each limit. */
export type Counts = Readonly<Partial<Record<Limit["by"], number>>>;

/** `rule`: one line for an admin, which begins with the name that the rule has in the configuration. */
export type Decision =
  | { readonly kind: "allow"; readonly rule: string; readonly limits: readonly Limit[] }
  /** `answer`: for the person, where they asked directly. */
  | { readonly kind: "refuse"; readonly rule: string; readonly answer: string }
  /** As if it had not been said. */
  | { readonly kind: "ignore"; readonly rule: string };

interface Asking extends Request {
  readonly rules: AccessRules;
  readonly user: Address;
  readonly isAdmin: boolean;
}

type Refusal = Omit<Extract<Decision, { readonly kind: "refuse" }>, "kind">;

const NO_ENTRY = "You may not use this bot. Its admins can change that.";

export function decide(rules: AccessRules, request: Request, counts: Counts = {}): Decision {
  const { who } = request;
  const asking: Asking = {
    ...request,
    rules,
    user: addressIn(request, who.id),
    isAdmin: isAdmin(rules, request),
  };
  if (who.kind === "bot") {
    const ignored = ignoredBot(asking);
    if (ignored !== undefined) return { kind: "ignore", rule: ignored };
  }
  const refusal = denied(asking) ?? notLetIn(asking) ?? notAllowed(asking) ?? notHere(asking);
  if (refusal !== undefined) return { kind: "refuse", ...refusal };
  const limits = limitsFor(asking);
  const reached = limits.find(({ by, most }) => (counts[by] ?? 0) >= most);
  if (reached !== undefined) return { kind: "refuse", rule: reached.rule, answer: reached.answer };
  return { kind: "allow", rule: allowedBy(asking), limits };
}

/**
 * Guests, people of other companies and bots never are, whatever a list says; neither is somebody of whom this could not be
 * learnt.
 */
export function isAdmin({ admins }: AccessRules, request: Request): boolean {
  const { who } = request;
  if (who.kind !== "member") return false;
  return (
    (admins.platform && who.isPlatformAdmin === true) ||
    isListed(admins.users, addressIn(request, who.id)) ||
    hasRole(request, admins.roles)
  );
}

/** Nobody who could be no admin is one either. */
export function isReviewer({ reviewers }: AccessRules, request: Request): boolean {
  if (request.who.kind !== "member") return false;
  return isListed(reviewers.users, addressIn(request, request.who.id)) || hasRole(request, reviewers.roles);
}

/** A bot is heard when it is listed and calls ours by name: what it says beside that would begin loops. */
function ignoredBot({ rules, what, user }: Asking): string | undefined {
  if (!isListed(rules.bots.allow, user)) return `bots.allow: the bot ${user} is not on it`;
  if (what.kind === "message" && what.isAddressed) return undefined;
  return `bots.allow: ${user} is on it, and bots are heard only in messages that mention this one`;
}

/** Whoever is kept out for who they are, wherever they come from; so is somebody of whom this could not be learnt. */
export function deniedPerson(rules: AccessRules, request: Request): Refusal | undefined {
  const user = addressIn(request, request.who.id);
  if (isListed(rules.users.deny, user)) return { rule: `users.deny: ${user} is on it`, answer: NO_ENTRY };
  const role = roleIn(request, rules.roles.deny);
  if (role !== undefined) return { rule: `roles.deny: ${user} has ${role}`, answer: NO_ENTRY };
  return isUntold(request, rules.roles.deny)
    ? { rule: `roles.deny: which roles ${user} has could not be learnt`, answer: UNTOLD }
    : undefined;
}

function denied(asking: Asking): Refusal | undefined {
  const { rules, place } = asking;
  const space = spaceOf(place);
  const channel = addressIn(asking, place.channel);
  if (isListed(rules.spaces.deny, space))
    return { rule: `spaces.deny: ${space} is on it`, answer: "I do not answer here." };
  const person = deniedPerson(rules, asking);
  if (person !== undefined) return person;
  if (isListed(rules.channels.deny, channel) && !isAdminsCommand(asking))
    return { rule: `channels.deny: ${channel} is on it`, answer: "I do not answer in this channel." };
  return undefined;
}

/** Those who are no members. */
function notLetIn(asking: Asking): Refusal | undefined {
  const { rules, user, who } = asking;
  switch (who.kind) {
    case "guest":
      if (isFor(rules.guests, asking)) return undefined;
      return { rule: `guests: ${user} is a guest`, answer: "Guests may not use this bot." };
    case "external":
      if (isFor(rules.external, asking)) return undefined;
      return {
        rule: `external: ${user} is of another company`,
        answer: "People of other companies may not use this bot.",
      };
    case undefined:
      if (isFor(rules.unknown, asking)) return undefined;
      return { rule: `unknown: whether ${user} is a guest could not be learnt`, answer: UNTOLD };
    case "member":
    case "bot":
      return undefined;
    default:
      return who.kind satisfies never;
  }
}

/** The lists of those who may. */
function notAllowed(asking: Asking): Refusal | undefined {
  const { rules, place, user, who } = asking;
  const space = spaceOf(place);
  if (isMissing(rules.spaces, space))
    return { rule: `spaces.allow: ${space} is not on it`, answer: "I do not answer here." };
  const channel = addressIn(asking, place.channel);
  if (!asking.isDirect && isMissing(rules.channels, channel) && !isAdminsCommand(asking))
    return { rule: `channels.allow: ${channel} is not on it`, answer: "I do not answer in this channel." };
  const { users, roles } = rules;
  if ((users.allow === undefined && roles.allow === undefined) || who.kind === "bot" || asking.isAdmin)
    return undefined;
  if (isListed(users.allow ?? [], user) || hasRole(asking, roles.allow ?? [])) return undefined;
  const names = [users.allow && "users.allow", roles.allow && "roles.allow"].filter(Boolean).join(", ");
  return isUntold(asking, roles.allow ?? [])
    ? { rule: `${names}: which roles ${user} has could not be learnt`, answer: UNTOLD }
    : { rule: `${names}: ${user} is not on it`, answer: NO_ENTRY };
}

/** What only some may do. */
function notHere(asking: Asking): Refusal | undefined {
  const { rules, user, what, who } = asking;
  if (asking.isDirect && !isFor(rules.direct, asking))
    return {
      rule: `direct: ${user} may not write directly`,
      answer: "I do not take direct messages from you. Mention me in a channel.",
    };
  if (what.kind !== "command" || isFor(rules.commands[what.name], asking)) return undefined;
  const audience = rules.commands[what.name];
  const isForStaff = audience === "admins" || audience === "reviewers";
  const isUnclear =
    isForStaff && (who.kind === undefined || (rules.admins.platform && who.isPlatformAdmin === undefined));
  const staff = audience === "admins" ? "admins" : "admins and reviewers";
  const only = isForStaff ? `only ${staff} may` : "only some may";
  return isUnclear
    ? {
        rule: `commands.${what.name}: ${only}, and whether ${user} is one could not be learnt`,
        answer: UNTOLD,
      }
    : {
        rule: `commands.${what.name}: ${only}, and ${user} is none of them`,
        answer: isForStaff ? `Only ${staff} may use \`${what.name}\`.` : `You may not use \`${what.name}\`.`,
      };
}

const UNTOLD = "I could not learn now what you may do. Please try again in a minute.";

/** Admins have none, and nobody is kept from a stop. */
function limitsFor({ rules, what, who, isAdmin: isFree, user, place }: Asking): readonly Limit[] {
  const asksForWork =
    what.kind === "message" ||
    (what.kind === "command" && (what.name === "retry" || what.asksForWork === true));
  if (isFree || !asksForWork) return [];
  const limits: Limit[] = [];
  const soMany = ({ most, withinMs }: Rate): string => `${most} within ${withinMs / 60_000} minutes`;
  if (who.kind === "bot") {
    const rule = `bots: ${user} had ${soMany(rules.bots.rate)} in this thread`;
    limits.push({
      ...rules.bots.rate,
      by: "pair",
      rule,
      answer: "That is enough from one bot in one thread for now.",
    });
  }
  const { user: ofUser, channel } = rules.limits;
  if (ofUser !== undefined && who.kind !== "bot") {
    const answer = "You have asked as much as you may for now. Please try again later.";
    limits.push({ ...ofUser, by: "user", rule: `limits.user: ${user} had ${soMany(ofUser)}`, answer });
  }
  if (channel !== undefined) {
    const answer = "This channel has asked as much as it may for now. Please try again later.";
    const rule = `limits.channel: ${spaceOf(place)}:${place.channel} had ${soMany(channel)}`;
    limits.push({ ...channel, by: "channel", rule, answer });
  }
  return limits;
}

function allowedBy(asking: Asking): string {
  const { rules, user, who } = asking;
  if (who.kind === "bot") return `bots.allow: ${user} is on it`;
  if (asking.isAdmin) return `admins: ${user} is one`;
  if (isListed(rules.users.allow ?? [], user)) return `users.allow: ${user} is on it`;
  const role = roleIn(asking, rules.roles.allow ?? []);
  if (role !== undefined) return `roles.allow: ${user} has ${role}`;
  switch (who.kind) {
    case "guest":
      return `guests: ${user} is a guest, and let in`;
    case "external":
      return `external: ${user} is of another company, and let in`;
    case undefined:
      return `unknown: whether ${user} is a guest could not be learnt in time, and counts as a member`;
    case "member":
      return `members: ${user} is one of ${spaceOf(asking.place)}, and nothing forbids it`;
    default:
      return who.kind satisfies never;
  }
}

function isFor(audience: Audience, asking: Asking): boolean {
  if (audience === "everyone") return true;
  if (audience === "nobody") return false;
  if (audience === "admins") return asking.isAdmin;
  if (audience === "reviewers") return asking.isAdmin || isReviewer(asking.rules, asking);
  return isListed(audience.users ?? [], asking.user) || hasRole(asking, audience.roles ?? []);
}

/** Who may ask why the bot does not answer in a channel has to be able to do so there. */
function isAdminsCommand({ isAdmin: admin, what }: Asking): boolean {
  return admin && what.kind === "command";
}

function isMissing({ allow }: Lists, address: Address): boolean {
  return allow !== undefined && !isListed(allow, address);
}

function hasRole(request: Request, roles: readonly Address[]): boolean {
  return roleIn(request, roles) !== undefined;
}

function roleIn(request: Request, roles: readonly Address[]): Address | undefined {
  if (roles.length === 0) return undefined;
  return (request.who.roles ?? [])
    .map((role) => addressIn(request, role))
    .find((role) => isListed(roles, role));
}

/** Whether the list has roles of this space, and the platform did not say which the person has. */
function isUntold(request: Request, roles: readonly Address[]): boolean {
  if (request.who.roles !== undefined || request.who.kind === "bot") return false;
  const { platform, space } = request.place;
  return roles.some((role) => {
    const [ofPlatform, ofSpace] = role.split(":");
    return ofPlatform === platform && (ofSpace === "*" || ofSpace === space);
  });
}

function spaceOf({ platform, space }: Request["place"]): Address {
  return `${platform}:${space}`;
}

export function addressIn({ place }: Pick<Request, "place">, id: string): Address {
  return `${spaceOf(place)}:${id}`;
}
