// Slack's side of Sign in with Slack (OpenID Connect): the page on which a person goes on, a code that is good for ten minutes and one
// exchange, the id token, and what Slack says of whoever bears the access token.
import { createSign, generateKeyPairSync } from "node:crypto";
import { Refusal, type ApiCall } from "./api/call.ts";
import type { JsonObject, Profile } from "./message.ts";
import type { Platform } from "./platform.ts";
import type { Teams } from "./teams.ts";

export const AUTHORIZE_PATH = "/openid/connect/authorize";
const CODE_MS = 10 * 60_000;
const SCOPES: ReadonlySet<string> = new Set(["openid", "profile", "email"]);

interface Asked {
  readonly redirect: URL;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly scopes: readonly string[];
}

interface Grant extends Asked {
  readonly platform: Platform;
  readonly profile: Profile;
  readonly until: number;
}

export class OpenId {
  /** What the next id token says besides: for a Slack that is not Slack. */
  forged: JsonObject = {};
  readonly #teams: Teams;
  readonly #redirectUrls: ReadonlySet<string>;
  readonly #newId: (prefix: string) => string;
  readonly #nowMs: () => number;
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, Grant>();
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

  /** @param redirectUrls addresses that stand in the app's settings. */
  constructor(
    teams: Teams,
    redirectUrls: ReadonlySet<string>,
    newId: (prefix: string) => string,
    nowMs: () => number,
  ) {
    this.#teams = teams;
    this.#redirectUrls = redirectUrls;
    this.#newId = newId;
    this.#nowMs = nowMs;
  }

  /** Somebody of the workspace goes on. @returns where Slack sends the browser then. Throws where Slack shows an error instead. */
  allow(
    authorizeUrl: string,
    { team, by }: { readonly team: string; readonly by: { readonly id: string } },
  ): string {
    const asked = this.#asked(authorizeUrl);
    const platform = this.#teams.all.find(({ workspace }) => workspace.teamId === team);
    const profile = platform?.workspace.profiles.get(by.id);
    if (!platform || !profile) throw new Error(`${by.id} is not in ${team}`);
    const code = `${this.#newId("1")}.${this.#newId("2")}.openid`;
    this.#codes.set(code, { ...asked, platform, profile, until: this.#nowMs() + CODE_MS });
    return back(asked, { code });
  }

  /** Somebody presses Cancel. */
  deny(authorizeUrl: string): string {
    return back(this.#asked(authorizeUrl), { error: "access_denied" });
  }

  /** The page itself: a line for everybody who is somewhere. */
  page(authorizeUrl: string): { readonly status: number; readonly body: string } {
    try {
      const people = this.#teams.all.flatMap(({ workspace }) =>
        [...workspace.profiles.values()]
          .filter(({ kind }) => kind === "person")
          .map((by) => ({ name: by.name, to: this.allow(authorizeUrl, { team: workspace.teamId, by }) })),
      );
      const links = [...people, { name: "Cancel", to: this.deny(authorizeUrl) }];
      const list = links.map(({ name, to }) => `<p><a href="${to.replaceAll("&", "&amp;")}">${name}</a></p>`);
      return { status: 200, body: `<!doctype html><title>Sign in to Slack</title>${list.join("")}` };
    } catch (error) {
      return { status: 400, body: String(error) };
    }
  }

  /** `openid.connect.token` */
  exchange(call: ApiCall): JsonObject {
    const [first] = this.#teams.all;
    if (!first) throw new Error("there is no workspace");
    if (call.optional("client_id") !== first.app.clientId) throw new Refusal("invalid_client_id");
    if (call.optional("client_secret") !== first.app.clientSecret) throw new Refusal("bad_client_secret");
    if ((call.optional("grant_type") ?? "authorization_code") !== "authorization_code")
      throw new Refusal("invalid_grant_type");
    const code = call.required("code", "invalid_code");
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (!grant) throw new Refusal("invalid_code");
    if (grant.until <= this.#nowMs()) throw new Refusal("code_expired");
    if (call.optional("redirect_uri") !== grant.redirect.href) throw new Refusal("bad_redirect_uri");
    const token = `xoxp-${this.#newId("1")}-${this.#newId("2")}-local`;
    this.#tokens.set(token, grant);
    const nowS = Math.floor(this.#nowMs() / 1_000);
    const claims = {
      iss: "https://slack.com",
      aud: first.app.clientId,
      exp: nowS + 300,
      iat: nowS,
      auth_time: nowS,
      ...(grant.nonce === undefined ? {} : { nonce: grant.nonce }),
      ...this.#claimsOf(grant),
      ...this.forged,
    };
    return { access_token: token, token_type: "Bearer", id_token: this.#signed(claims) };
  }

  /** `openid.connect.userInfo` */
  userInfo(call: ApiCall): JsonObject {
    if (call.token === undefined) throw new Refusal("not_authed");
    const grant = this.#tokens.get(call.token);
    if (!grant) throw new Refusal("invalid_auth");
    return this.#claimsOf(grant);
  }

  #claimsOf({ platform: { app, workspace }, profile, scopes }: Grant): JsonObject {
    return {
      sub: profile.id,
      "https://slack.com/user_id": profile.id,
      "https://slack.com/team_id": workspace.teamId,
      ...(app.org === undefined
        ? {}
        : {
            "https://slack.com/enterprise_id": app.org.id,
            "https://slack.com/enterprise_name": app.org.name,
          }),
      ...(scopes.includes("profile") ? { name: profile.name, locale: "en-US" } : {}),
    };
  }

  #signed(claims: JsonObject): string {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const text = `${part({ alg: "RS256", typ: "JWT", kid: "local" })}.${part(claims)}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(this.#keys.privateKey).toString("base64url")}`;
  }

  #asked(authorizeUrl: string): Asked {
    const { pathname, searchParams } = new URL(authorizeUrl);
    if (pathname !== AUTHORIZE_PATH) throw new Error(`not Slack's page: ${pathname}`);
    const [platform] = this.#teams.all;
    if (searchParams.get("client_id") !== platform?.app.clientId) throw new Error("invalid_client_id");
    if (searchParams.get("response_type") !== "code") throw new Error("invalid_response_type");
    const redirect = searchParams.get("redirect_uri") ?? "";
    if (!this.#redirectUrls.has(redirect)) throw new Error(`bad_redirect_uri: ${redirect}`);
    const scopes = (searchParams.get("scope") ?? "").split(/[ ,]/).filter((scope) => scope !== "");
    if (!scopes.includes("openid") || scopes.some((scope) => !SCOPES.has(scope)))
      throw new Error("invalid_scope");
    return {
      redirect: new URL(redirect),
      state: searchParams.get("state") ?? undefined,
      nonce: searchParams.get("nonce") ?? undefined,
      scopes,
    };
  }
}

function back({ redirect, state }: Asked, answer: Readonly<Record<string, string>>): string {
  const to = new URL(redirect);
  for (const [name, value] of Object.entries(answer)) to.searchParams.set(name, value);
  if (state !== undefined) to.searchParams.set("state", state);
  return to.href;
}
