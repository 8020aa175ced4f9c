/**
 * Which install a delivery of Slack's is for. The one app gets the deliveries of all workspaces, and what it is told of teams differs by
 * kind: in a channel that companies share, what stands in an event may be the other company.
 */

import type { Installs } from "../../core/ports/installs.ts";
import { fieldsOf, listOf, textOf, type Payload } from "./payload.ts";
import type { SlackSpaces } from "./spaces.ts";
import type { Known } from "./installed-space.ts";
import { mentionsIn } from "./text.ts";

export type Addressed =
  | { readonly kind: "install"; readonly known: Exclude<Known, { readonly kind: "gone" }> }
  /** `named`: the team that Slack named, where it named one. */
  | { readonly kind: "nobody"; readonly named: string };

export interface AddressedDeps {
  readonly spaces: Pick<SlackSpaces, "at">;
  readonly installs: Pick<Installs, "spaceOfBot" | "spaceOfThread">;
}

/** Rejects when the store has to be asked and does not answer. */
export async function addressedBy(deps: AddressedDeps, body: Payload): Promise<Addressed> {
  const isEvent = body["type"] === "event_callback";
  const named = isEvent ? teamsOfEvent(body) : teamsOfInteraction(body);
  const first = await installOf(deps, named);
  const certain = isEvent ? await sharedEvent(deps, body, first) : await otherClick(deps, body, first);
  const known = certain === undefined ? first : ((await installOf(deps, [certain])) ?? first);
  return known === undefined ? { kind: "nobody", named: named[0] ?? "" } : { kind: "install", known };
}

type Installed = Exclude<Known, { readonly kind: "gone" }>;

/** The first of them that is installed. */
async function installOf(deps: AddressedDeps, spaces: readonly string[]): Promise<Installed | undefined> {
  for (const space of spaces) {
    const known = await deps.spaces.at(space).known();
    if (known.kind !== "gone") return known;
  }
  return undefined;
}

/** A workspace that has no install of its own may have that of its organisation. */
function teamsOfEvent(envelope: Payload): readonly string[] {
  const {
    team_id: team,
    enterprise_id: enterprise,
    is_enterprise_install: isWide,
  } = fieldsOf(listOf(envelope["authorizations"])[0] ?? envelope);
  return idsOf(isWide === true ? [enterprise, team] : [team, enterprise]);
}

function teamsOfInteraction(body: Payload): readonly string[] {
  const team = fieldsOf(body["team"])["id"] ?? body["team_id"];
  const enterprise = fieldsOf(body["enterprise"])["id"] ?? body["enterprise_id"];
  const isWide = body["is_enterprise_install"] === true || body["is_enterprise_install"] === "true";
  const ofView = fieldsOf(body["view"])["app_installed_team_id"];
  return idsOf(isWide ? [ofView, enterprise, team] : [ofView, team, enterprise]);
}

function idsOf(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.map(textOf).filter((id) => id !== undefined))];
}

/**
 * Where the app is installed on both sides of a shared channel Slack brings each event once, for any one of them: a thread stays with the
 * install that it began with, and a mention is for the bot that is mentioned.
 */
async function sharedEvent(
  { installs }: AddressedDeps,
  envelope: Payload,
  first: Installed | undefined,
): Promise<string | undefined> {
  if (envelope["is_ext_shared_channel"] !== true) return undefined;
  const event = fieldsOf(envelope["event"]);
  const message = "message" in event ? fieldsOf(event["message"]) : event;
  const channel = textOf(event["channel"]);
  const root = textOf(message["thread_ts"]);
  if (channel !== undefined && root !== undefined) {
    const space = await installs.spaceOfThread("slack", channel, root);
    if (space !== undefined) return space;
  }
  const mentioned = mentionsIn(textOf(message["text"]) ?? "");
  if (mentioned.length === 0 || (first !== undefined && mentioned.includes(first.install.bot.user)))
    return undefined;
  return installs.spaceOfBot("slack", mentioned);
}

/** Somebody of another workspace who clicks brings that one's id along: whose message it is tells which bot it was meant for. */
async function otherClick(
  { installs }: AddressedDeps,
  body: Payload,
  first: Installed | undefined,
): Promise<string | undefined> {
  const { bot_id: bot, user } = fieldsOf(body["message"]);
  const author = textOf(user);
  if (body["type"] !== "block_actions" || textOf(bot) === undefined || author === undefined) return undefined;
  if (first?.install.bot.user === author) return undefined;
  return installs.spaceOfBot("slack", [author]);
}
