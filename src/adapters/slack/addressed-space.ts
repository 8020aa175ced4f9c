/**
 * Which install a delivery of Slack's is for. The one app gets the deliveries of all workspaces, and what it is told of teams differs by
 * kind: in a channel that companies share, what stands in an event may be the other company.
 */

import type { Installs } from "../../core/ports/installs.ts";
import { authorIn, isEvent, placeIn, wordsIn } from "./body-place.ts";
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
  const named = isEvent(body) ? teamsOfEvent(body) : teamsOfInteraction(body);
  const first = await installOf(deps, named);
  const certain = await sharedWith(deps, body, first);
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
 * Where the app is installed on both sides of a shared channel Slack brings each event once, for any one of them, and a click for the
 * workspace of whoever clicks. It is for the bot whose message it is about, for the install that the thread began with, or for the bot
 * that is mentioned, the first of these that there is; undefined where that is the one that Slack names.
 */
async function sharedWith(
  { installs }: AddressedDeps,
  body: Payload,
  first: Installed | undefined,
): Promise<string | undefined> {
  if (isEvent(body) && body["is_ext_shared_channel"] !== true) return undefined;
  const author = authorIn(body);
  if (author !== undefined) {
    if (first?.install.bot.user === author) return undefined;
    const space = await installs.spaceOfBot("slack", [author]);
    if (space !== undefined) return space;
  }
  const place = placeIn(body);
  if (place !== undefined) {
    const rather = isEvent(body) ? undefined : first?.install.space;
    const space = await installs.spaceOfThread("slack", place.channel, place.root, { rather });
    if (space !== undefined) return space;
  }
  const mentioned = isEvent(body) ? mentionsIn(wordsIn(body)) : [];
  if (mentioned.length === 0 || (first !== undefined && mentioned.includes(first.install.bot.user)))
    return undefined;
  return installs.spaceOfBot("slack", mentioned);
}
