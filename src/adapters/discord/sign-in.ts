/**
 * Discord's OAuth. The person's own token is asked who they are and in which servers, once; what they are there is asked with the
 * bot's.
 */

import { createHash } from "node:crypto";
import { DiscordAPIError, REST } from "@discordjs/rest";
import {
  OAuth2Scopes,
  PermissionFlagsBits as Bits,
  Routes,
  type APIUser,
  type RESTAPIPartialCurrentUserGuild,
  type RESTPostOAuth2AccessTokenResult,
} from "discord-api-types/v10";
import type { Proved, ProvedSpace, SignInWay } from "../../core/ports/sign-in-way.ts";
import { failureOf } from "./api-failure.ts";
import type { DiscordApi } from "./api.ts";
import { DIRECT } from "./identity.ts";

export interface DiscordSignInDeps {
  /** The bot's. */
  readonly api: Pick<DiscordApi, "call">;
}

export interface DiscordSignInOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where Discord brings people back to: it has to stand in the application's settings, letter by letter. */
  readonly backUrl: string;
  /** Default Discord's own. */
  readonly apiUrl?: string;
}

const AUTHORIZE = "https://discord.com/oauth2/authorize";
const TIMEOUT_MS = 10_000;
/** As many as Discord gives at once. */
const PAGE = 200;
/** What makes the admin of a server. */
const ADMIN = Bits.Administrator | Bits.ManageGuild;

export function createDiscordSignIn({ api }: DiscordSignInDeps, options: DiscordSignInOptions): SignInWay {
  const { clientId, clientSecret, backUrl, apiUrl } = options;

  /** Of nobody else's calls: a token that is refused must not count as the bot's. */
  function ownRest(): REST {
    return new REST({
      ...(apiUrl === undefined ? {} : { api: apiUrl }),
      version: "10",
      authPrefix: "Bearer",
      timeout: TIMEOUT_MS,
      retries: 0,
      rejectOnRateLimit: () => true,
      handlerSweepInterval: 0,
      hashSweepInterval: 0,
    });
  }

  async function tokenFor(rest: REST, code: string, verifier: string): Promise<string> {
    const given = (await rest.post(Routes.oauth2TokenExchange(), {
      auth: false,
      passThroughBody: true,
      headers: {
        Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: backUrl,
        code_verifier: verifier,
      }).toString(),
    })) as RESTPostOAuth2AccessTokenResult;
    return given.access_token;
  }

  /** Of these servers those that the bot is in. */
  async function withBot(
    theirs: readonly RESTAPIPartialCurrentUserGuild[],
  ): Promise<readonly RESTAPIPartialCurrentUserGuild[] | undefined> {
    const last = theirs.reduce((most, { id }) => (BigInt(id) > most ? BigInt(id) : most), 0n);
    const own = new Set<string>();
    for (let after = "0"; BigInt(after) < last;) {
      const query = { limit: String(PAGE), after };
      const answer = await api.call("GET", Routes.userGuilds(), { query });
      if (answer.kind !== "ok") return undefined;
      const page = answer.data as readonly RESTAPIPartialCurrentUserGuild[];
      for (const { id } of page) own.add(id);
      after = page.length < PAGE ? String(last) : (page.at(-1)?.id ?? String(last));
    }
    return theirs.filter(({ id }) => own.has(id));
  }

  return {
    platform: "discord",
    name: "Discord",
    addressOf({ state, verifier }) {
      const address = new URL(apiUrl === undefined ? AUTHORIZE : new URL("/oauth2/authorize", apiUrl));
      address.search = new URLSearchParams({
        response_type: "code",
        scope: `${OAuth2Scopes.Identify} ${OAuth2Scopes.Guilds}`,
        client_id: clientId,
        redirect_uri: backUrl,
        state,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        // Who has allowed it before is not asked again.
        prompt: "none",
      }).toString();
      return address.href;
    },
    async whoHas(code, { verifier }) {
      const rest = ownRest();
      try {
        rest.setToken(await tokenFor(rest, code, verifier));
      } catch (error) {
        return failed(error, [clientSecret, code]);
      }
      try {
        const user = (await rest.get(Routes.user())) as APIUser;
        const theirs = (await rest.get(Routes.userGuilds())) as readonly RESTAPIPartialCurrentUserGuild[];
        const shared = await withBot(theirs);
        if (shared === undefined)
          return { kind: "away", why: "Discord does not tell the servers of the bot" };
        const spaces = shared
          .toSorted((a, b) => Number(isAdmin(b)) - Number(isAdmin(a)))
          .map(({ id, name }): ProvedSpace => ({ space: id, name }));
        return {
          kind: "proved",
          person: user.id,
          name: user.global_name ?? user.username,
          // Nobody has a role in conversations with the bot alone, but whom the configuration lists.
          spaces: [...spaces, { space: DIRECT, name: "Direct messages" }],
        };
      } catch (error) {
        return failed(error, []);
      }
    },
  };
}

function isAdmin({ owner, permissions }: RESTAPIPartialCurrentUserGuild): boolean {
  return owner || (BigInt(permissions) & ADMIN) !== 0n;
}

/** @param secrets stand in nothing of what is told. */
function failed(error: unknown, secrets: readonly string[]): Proved {
  if (error instanceof DiscordAPIError && typeof error.code === "string")
    return error.code === "invalid_grant" ? { kind: "spent" } : { kind: "misconfigured", code: error.code };
  const failure = failureOf(error, secrets);
  switch (failure.kind) {
    case "refused":
      return { kind: "misconfigured", code: String(failure.status) };
    case "rate_limited":
      return { kind: "away", why: "Discord takes no further call now" };
    case "http":
      return { kind: "away", why: `Discord answers with the status ${failure.status}` };
    case "unknown":
    case "unreachable":
      return { kind: "away", why: failure.why };
    default:
      return failure satisfies never;
  }
}
