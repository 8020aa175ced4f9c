// Discord's side of OAuth2: the page on which a person allows it, a code that is good for ten minutes and one exchange (with PKCE where it
// was begun so), and the token of the person.
import { createHash } from "node:crypto";
import { ApiError, type Call } from "./call.ts";
import type { JsonObject, Profile } from "./model.ts";
import type { DiscordState } from "./state.ts";

export const AUTHORIZE_PATH = "/oauth2/authorize";
const CODE_MS = 10 * 60_000;
const SCOPES: ReadonlySet<string> = new Set(["identify", "email", "guilds", "guilds.members.read"]);

interface Asked {
  readonly redirect: URL;
  readonly state: string | undefined;
  readonly challenge: string | undefined;
  readonly scopes: readonly string[];
}

interface Grant extends Asked {
  readonly by: Profile;
  readonly until: number;
}

export class OAuth {
  readonly clientSecret = "local-discord-client-secret";
  /** Addresses that stand in the application's settings. */
  readonly redirectUrls = new Set<string>();
  readonly #state: DiscordState;
  readonly #applicationId: string;
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, Grant>();

  constructor(state: DiscordState, applicationId: string) {
    this.#state = state;
    this.#applicationId = applicationId;
  }

  /** Somebody allows it. @returns where Discord sends the browser then. Throws where Discord shows an error instead. */
  allow(authorizeUrl: string, person: { readonly id: string }): string {
    const asked = this.#asked(authorizeUrl);
    const by = this.#state.profiles.get(person.id);
    if (by === undefined) throw new Error(`there is no ${person.id}`);
    const code = `code${this.#state.newId()}`;
    this.#codes.set(code, { ...asked, by, until: this.#state.nowMs() + CODE_MS });
    return back(asked, { code });
  }

  /** Somebody presses Cancel. */
  deny(authorizeUrl: string): string {
    return back(this.#asked(authorizeUrl), {
      error: "access_denied",
      error_description: "The resource owner or authorization server denied the request",
    });
  }

  /** `POST /oauth2/token` */
  exchange({ body, authorization, type }: Call): JsonObject {
    const field = (name: string): string => (typeof body[name] === "string" ? body[name] : "");
    if (!type.startsWith("application/x-www-form-urlencoded")) throw refused(400, "invalid_request");
    const basic = Buffer.from(authorization?.replace(/^Basic /, "") ?? "", "base64").toString();
    const given = basic === "" ? `${field("client_id")}:${field("client_secret")}` : basic;
    if (given !== `${this.#applicationId}:${this.clientSecret}`) throw refused(401, "invalid_client");
    if (field("grant_type") !== "authorization_code") throw refused(400, "unsupported_grant_type");
    const code = field("code");
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (grant === undefined || grant.until <= this.#state.nowMs())
      throw refused(400, "invalid_grant", 'Invalid "code" in request.');
    if (field("redirect_uri") !== grant.redirect.href)
      throw refused(400, "invalid_request", 'Invalid "redirect_uri" in request.');
    if (grant.challenge !== undefined) {
      const verifier = field("code_verifier");
      if (verifier === "") throw refused(400, "invalid_request", 'Missing "code_verifier"');
      if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier))
        throw refused(400, "invalid_request", 'Invalid "code_verifier"');
      if (createHash("sha256").update(verifier).digest("base64url") !== grant.challenge)
        throw refused(400, "invalid_grant", 'Invalid "code_verifier"');
    }
    const token = `local-bearer-${this.#state.newId()}`;
    this.#tokens.set(token, grant);
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: 604_800,
      refresh_token: `local-refresh-${this.#state.newId()}`,
      scope: grant.scopes.join(" "),
    };
  }

  /** Whose token it is; undefined for the bot's. */
  personOf({ authorization }: Pick<Call, "authorization">, scope: string): Profile | undefined {
    if (authorization?.startsWith("Bot ") === true) return undefined;
    const grant = this.#tokens.get(authorization?.replace(/^Bearer /, "") ?? "");
    if (grant === undefined) throw new ApiError(401, 0, "401: Unauthorized");
    if (!grant.scopes.includes(scope)) throw new ApiError(403, 50001, "Missing Access");
    return grant.by;
  }

  /** The page itself: a line for everybody there is. */
  page(authorizeUrl: string): { readonly status: number; readonly body: string } {
    try {
      const people = [...this.#state.profiles.values()]
        .filter(({ kind }) => kind === "person")
        .map((by) => ({ name: by.name, to: this.allow(authorizeUrl, by) }));
      const links = [...people, { name: "Cancel", to: this.deny(authorizeUrl) }];
      const list = links.map(({ name, to }) => `<p><a href="${to.replaceAll("&", "&amp;")}">${name}</a></p>`);
      return { status: 200, body: `<!doctype html><title>Authorize</title>${list.join("")}` };
    } catch (error) {
      return { status: 400, body: String(error) };
    }
  }

  #asked(authorizeUrl: string): Asked {
    const { pathname, searchParams } = new URL(authorizeUrl);
    if (pathname !== AUTHORIZE_PATH) throw new Error(`not Discord's page: ${pathname}`);
    if (searchParams.get("client_id") !== this.#applicationId) throw new Error("Unknown Application");
    if (searchParams.get("response_type") !== "code") throw new Error("unsupported_response_type");
    const redirect = searchParams.get("redirect_uri") ?? "";
    if (!this.redirectUrls.has(redirect)) throw new Error(`Invalid OAuth2 redirect_uri: ${redirect}`);
    const scopes = (searchParams.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
    if (scopes.length === 0 || scopes.some((scope) => !SCOPES.has(scope))) throw new Error("invalid_scope");
    const challenge = searchParams.get("code_challenge") ?? undefined;
    if (challenge !== undefined && searchParams.get("code_challenge_method") !== "S256")
      throw new Error('Unsupported "code_challenge_method"');
    return { redirect: new URL(redirect), state: searchParams.get("state") ?? undefined, challenge, scopes };
  }
}

function refused(status: number, error: string, description?: string): ApiError {
  const body = { error, ...(description === undefined ? {} : { error_description: description }) };
  return new ApiError(status, 0, description ?? error, { body });
}

function back({ redirect, state }: Asked, answer: Readonly<Record<string, string>>): string {
  const to = new URL(redirect);
  for (const [name, value] of Object.entries(answer)) to.searchParams.set(name, value);
  if (state !== undefined) to.searchParams.set("state", state);
  return to.href;
}
