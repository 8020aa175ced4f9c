/**
 * Sign in with Slack (OpenID Connect). Both answers that count come from Slack itself over our own connection: the id token with the
 * code, which has to be for this app and this browser's going, and what Slack says of the bearer, which has to be the same person. So
 * no signature has to be checked.
 */

import type { Clock } from "../../core/ports/clock.ts";
import type { Install, Installs } from "../../core/ports/installs.ts";
import type { Going, Proved, SignInWay } from "../../core/ports/sign-in-way.ts";
import { createSlackApi, type SlackAnswer } from "./api.ts";
import { fieldsOf, textOf, type Payload } from "./payload.ts";

export interface SlackSignInDeps {
  readonly installs: Pick<Installs, "list">;
  readonly clock: Clock;
}

export interface SlackSignInOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where Slack brings people back to: it has to stand in the app's settings, letter by letter. */
  readonly backUrl: string;
  readonly apiUrl?: string;
}

const ISSUER = "https://slack.com";
const USER = "https://slack.com/user_id";
const TEAM = "https://slack.com/team_id";
const ENTERPRISE = "https://slack.com/enterprise_id";
const TIMEOUT_MS = 10_000;
/** How far Slack's clock and ours may be apart, ms. */
const APART_MS = 60_000;
/** What Slack says of a code that it does not take. */
const SPENT: ReadonlySet<string> = new Set(["invalid_code", "code_already_used", "code_expired"]);

export function createSlackSignIn(deps: SlackSignInDeps, options: SlackSignInOptions): SignInWay {
  const { installs, clock } = deps;
  const { clientId, clientSecret, backUrl, apiUrl } = options;
  const elsewhere = { timeoutMs: TIMEOUT_MS, ...(apiUrl === undefined ? {} : { apiUrl }) };
  const api = createSlackApi(deps, elsewhere);

  /** Whether the token is one that Slack made for us, now, and for who was sent there by us. */
  function isOurs(claims: Payload, { nonce }: Going): boolean {
    const { iss, aud, exp, nonce: given } = claims;
    const isForUs = Array.isArray(aud) ? aud.length === 1 && aud[0] === clientId : aud === clientId;
    const isFresh = typeof exp === "number" && exp * 1_000 > clock.now() - APART_MS;
    return iss === ISSUER && isForUs && isFresh && given === nonce;
  }

  /** The workspace's own install, and that of the whole organisation. */
  async function installsOf(said: Payload): Promise<readonly Install[]> {
    const [team, enterprise] = [textOf(said[TEAM]), textOf(said[ENTERPRISE])];
    return (await installs.list("slack")).filter(({ space }) => space === team || space === enterprise);
  }

  return {
    platform: "slack",
    name: "Slack",
    addressOf({ state, nonce }) {
      const address = new URL("/openid/connect/authorize", apiUrl ?? ISSUER);
      address.search = new URLSearchParams({
        response_type: "code",
        scope: "openid profile",
        client_id: clientId,
        redirect_uri: backUrl,
        state,
        nonce,
      }).toString();
      return address.href;
    },
    async whoHas(code, going) {
      const given = await api.call("openid.connect.token", {
        client_id: clientId,
        client_secret: clientSecret,
        code,
        redirect_uri: backUrl,
        grant_type: "authorization_code",
      });
      if (given.kind !== "ok") return failed(given);
      const claims = claimsIn(textOf(given.data["id_token"]));
      const token = textOf(given.data["access_token"]);
      if (token === undefined || !isOurs(claims, going)) return { kind: "spent" };
      const said = await createSlackApi(deps, { token, ...elsewhere }).call("openid.connect.userInfo", {});
      if (said.kind !== "ok") return failed(said);
      const person = textOf(said.data[USER]);
      const isSame = ["sub", USER, TEAM].every((name) => textOf(said.data[name]) === textOf(claims[name]));
      if (person === undefined || person === "" || !isSame) return { kind: "spent" };
      const found = await installsOf(said.data);
      return {
        kind: "proved",
        person,
        name: textOf(said.data["name"]) ?? person,
        spaces: found.map(({ space, name }) => ({ space, name })),
      };
    },
  };
}

function failed(answer: Exclude<SlackAnswer, { readonly kind: "ok" }>): Proved {
  switch (answer.kind) {
    case "refused":
      return SPENT.has(answer.code) ? { kind: "spent" } : { kind: "misconfigured", code: answer.code };
    case "rate_limited":
      return { kind: "away", why: "Slack takes no further call now" };
    case "http":
      return { kind: "away", why: `Slack answers with the status ${answer.status}` };
    case "unknown":
    case "unreachable":
      return { kind: "away", why: answer.why };
    default:
      return answer satisfies never;
  }
}

/** Nothing where it is no token. */
function claimsIn(token: string | undefined): Payload {
  const [, body = ""] = token?.split(".") ?? [];
  try {
    return fieldsOf(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
  } catch {
    return {};
  }
}
