// The workspaces in which the app may be installed, and whose each token is. A token names its owner for ever, also after Slack stopped
// taking it.
import type { ApiCall } from "./api/call.ts";
import { Refusal } from "./api/call.ts";
import type { Platform } from "./platform.ts";

interface Token {
  /** Several for the token of a whole organisation. */
  readonly platforms: readonly Platform[];
  state: "good" | "revoked" | "inactive";
}

const refusals = { revoked: "token_revoked", inactive: "account_inactive" } as const;

export class Teams {
  readonly all: Platform[] = [];
  readonly #tokens = new Map<string, Token>();

  add(platform: Platform): void {
    this.all.push(platform);
    if (platform.app.isInstalled) this.issue(platform.app.botToken, [platform]);
  }

  issue(token: string, platforms: readonly Platform[]): void {
    this.#tokens.set(token, { platforms, state: "good" });
    for (const { app } of platforms) Object.assign(app, { botToken: token, isInstalled: true });
  }

  /** Slack takes it no more. @param how what it says then. */
  end(token: string, how: "revoked" | "inactive"): void {
    const known = this.#tokens.get(token);
    if (known) known.state = how;
  }

  isGood(token: string): boolean {
    return this.#tokens.get(token)?.state === "good";
  }

  /** Those for which the token is. @throws {Refusal} when Slack does not take it. */
  admitted(token: string): readonly Platform[] {
    const known = this.#tokens.get(token);
    if (!known) throw new Refusal("invalid_auth");
    if (known.state !== "good") throw new Refusal(refusals[known.state]);
    return known.platforms;
  }

  /** Whose token it is or was: the workspace, or the organisation. */
  ownerOf(token: string | undefined): string | undefined {
    const platforms = token === undefined ? undefined : this.#tokens.get(token)?.platforms;
    const [first] = platforms ?? [];
    return first?.app.org?.isWide ? first.app.org.id : first?.workspace.teamId;
  }

  /** Of an organisation's workspaces the one that is named, that has the channel, or in which the person is. */
  meant(call: ApiCall, platforms: readonly Platform[]): Platform {
    const team = call.optional("team_id");
    const channel = channelIn(call);
    const user = call.optional("user") ?? call.optional("user_id");
    const found =
      platforms.find(({ workspace }) => workspace.teamId === team) ??
      platforms.find(({ workspace }) => channel !== undefined && workspace.channels.has(channel)) ??
      platforms.find(({ workspace }) => user !== undefined && workspace.profiles.has(user));
    const platform = found ?? platforms[0];
    if (platform === undefined) throw new Error("a token without a workspace");
    return platform;
  }

  /** The workspace of the channel that a call names. */
  placeOf(call: ApiCall): Platform | undefined {
    const channel = channelIn(call);
    return channel === undefined
      ? undefined
      : this.all.find(({ workspace }) => workspace.channels.has(channel));
  }
}

function channelIn(call: ApiCall): string | undefined {
  return call.optional("channel") ?? call.optional("channel_id");
}
