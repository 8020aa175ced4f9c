// Slack's side of an installation: the page on which a person allows it, the code that is good for one exchange, and the ways in which
// it ends.
import { Refusal, type ApiCall } from "./api/call.ts";
import type { JsonObject } from "./message.ts";
import type { Platform } from "./platform.ts";
import type { Teams } from "./teams.ts";

export interface Allowing {
  /** Id of the workspace. */
  readonly team: string;
  readonly by: { readonly id: string };
  /** For all workspaces of the organisation. */
  readonly everywhere?: true;
}

interface Grant {
  readonly platforms: readonly Platform[];
  readonly by: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

export class OAuth {
  /** Addresses that stand in the app's settings. */
  readonly redirectUrls = new Set<string>();
  readonly #teams: Teams;
  readonly #newId: (prefix: string) => string;
  readonly #codes = new Map<string, Grant>();

  constructor(teams: Teams, newId: (prefix: string) => string) {
    this.#teams = teams;
    this.#newId = newId;
  }

  /** Somebody allows it on Slack's page. @returns where Slack sends the browser then. Throws where Slack shows an error instead. */
  allow(authorizeUrl: string, { team, by, everywhere }: Allowing): string {
    const { redirect, state, scopes } = this.#asked(authorizeUrl);
    const platform = this.#teams.all.find(({ workspace }) => workspace.teamId === team);
    if (!platform) throw new Error(`there is no workspace ${team}`);
    const { org } = platform.app;
    if (everywhere && !org) throw new Error(`${team} belongs to no organisation`);
    const platforms = everywhere
      ? this.#teams.all.filter(({ app }) => app.org !== undefined && app.org.id === org?.id)
      : [platform];
    const code = `${this.#newId("1")}.${this.#newId("2")}.code`;
    this.#codes.set(code, { platforms, by: by.id, redirectUri: redirect.href, scopes });
    if (everywhere) for (const { app } of platforms) Object.assign(app.org ?? {}, { isWide: true });
    redirect.searchParams.set("code", code);
    if (state !== undefined) redirect.searchParams.set("state", state);
    return redirect.href;
  }

  /** Somebody presses Cancel. */
  deny(authorizeUrl: string): string {
    const { redirect, state } = this.#asked(authorizeUrl);
    redirect.searchParams.set("error", "access_denied");
    if (state !== undefined) redirect.searchParams.set("state", state);
    return redirect.href;
  }

  /** `oauth.v2.access` */
  exchange(call: ApiCall): JsonObject {
    this.#checkClient(call);
    const code = call.required("code", "invalid_code");
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (!grant) throw new Refusal("invalid_code");
    if (call.optional("redirect_uri") !== grant.redirectUri) throw new Refusal("bad_redirect_uri");
    const [platform] = grant.platforms;
    if (!platform) throw new Error("a grant without a workspace");
    const { app, workspace } = platform;
    // Who allows the same once more is given the token that is there.
    const kept = app.isInstalled && this.#teams.isGood(app.botToken) ? app.botToken : undefined;
    const token = kept ?? `xoxb-${this.#newId("1")}-${this.#newId("2")}-local`;
    this.#teams.issue(token, grant.platforms);
    for (const each of grant.platforms) {
      each.app.scopes.clear();
      for (const scope of grant.scopes) each.app.scopes.add(scope);
    }
    const { org } = app;
    return {
      access_token: token,
      token_type: "bot",
      scope: grant.scopes.join(","),
      bot_user_id: app.botUserId,
      app_id: app.appId,
      team: org?.isWide ? null : { id: workspace.teamId, name: app.teamName },
      enterprise: org ? { id: org.id, name: org.name } : null,
      authed_user: { id: grant.by },
      is_enterprise_install: org?.isWide === true,
    };
  }

  /** `auth.revoke` */
  revoke(call: ApiCall, platform: Platform): JsonObject {
    this.ended(platform, "tokens_revoked");
    this.#teams.end(call.token ?? "", "revoked");
    return { revoked: true };
  }

  /** `apps.uninstall` */
  uninstall(call: ApiCall, platform: Platform): JsonObject {
    this.#checkClient(call);
    this.remove(platform);
    return {};
  }

  /** Somebody removes the app from the workspace. */
  remove(platform: Platform): void {
    this.ended(platform, "tokens_revoked");
    this.ended(platform, "app_uninstalled");
    this.#teams.end(platform.app.botToken, "inactive");
    platform.app.isInstalled = false;
  }

  /** Slack says so; nothing else has changed yet. */
  ended(platform: Platform, what: "tokens_revoked" | "app_uninstalled"): void {
    const tokens = { bot: [platform.app.botUserId], oauth: [] };
    const event = what === "tokens_revoked" ? { type: what, tokens } : { type: what };
    platform.events.emit(what, event, undefined, {
      // Slack sends these without any.
      envelope: (envelope) => ({ ...envelope, authorizations: undefined }),
    });
  }

  #asked(authorizeUrl: string): {
    readonly redirect: URL;
    readonly state: string | undefined;
    readonly scopes: readonly string[];
  } {
    const { pathname, searchParams } = new URL(authorizeUrl);
    if (pathname !== "/oauth/v2/authorize") throw new Error(`not Slack's page: ${pathname}`);
    const [platform] = this.#teams.all;
    if (searchParams.get("client_id") !== platform?.app.clientId) throw new Error("invalid_client_id");
    const redirect = searchParams.get("redirect_uri") ?? "";
    if (!this.redirectUrls.has(redirect)) throw new Error(`bad_redirect_uri: ${redirect}`);
    const scopes = (searchParams.get("scope") ?? "").split(",").filter((scope) => scope !== "");
    if (scopes.length === 0) throw new Error("invalid_scope");
    return { redirect: new URL(redirect), state: searchParams.get("state") ?? undefined, scopes };
  }

  #checkClient(call: ApiCall): void {
    const [platform] = this.#teams.all;
    if (call.optional("client_id") !== platform?.app.clientId) throw new Refusal("invalid_client_id");
    if (call.optional("client_secret") !== platform?.app.clientSecret) throw new Refusal("bad_client_secret");
  }
}
