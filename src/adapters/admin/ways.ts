/**
 * The platforms' own sign-in: away to the platform, and back with a code. What came back has to be of this browser's going, which a cookie
 * of ten minutes holds, and counts once. Whom the platform names passes the same door as somebody with a link: an offer is made for each
 * space in which they have a role, and taken at once where there is but one.
 */

import { timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { isSecret } from "../../core/admin/secret.ts";
import { createTurns } from "../../core/admin/too-busy.ts";
import type { AdminRole } from "../../core/admin/viewers.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Going, Proved, SignInWay } from "../../core/ports/sign-in-way.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import type { SingleUse } from "../../core/ports/single-use.ts";
import type { ComeIn, ComeInDeps } from "./come-in.ts";
import { problemPage } from "./pages/layout.ts";
import { ownPath, spaceOfPath, wayPathOf } from "./pages/paths.ts";
import { againPage, choosePage, noRolePage, type ChoosableSpace } from "./pages/ways.ts";
import { shown } from "./shown.ts";
import type { AdminContext, AdminEnv, CookieOptions } from "./viewer.ts";

export interface WaysDeps extends Omit<ComeInDeps, "attempts" | "newId"> {
  readonly ways: readonly SignInWay[];
  /** Of what comes back. */
  readonly states: SingleUse;
  readonly log: Log;
}

const GOING_MS = 10 * 60_000;
/** Spaces of one person that are looked at: each is two questions to the platform. */
const MOST_SPACES = 25;
/** Questions to the platforms of who comes back, at the same time: each is a row in the store too. */
const AT_ONCE = 4;
/** So many more wait for their turn: a fraction of a second each, and seconds for somebody who shares many spaces with the bot. */
const WAITING = 100;

/** Whom a platform names. */
type Named = Extract<Proved, { readonly kind: "proved" }>;

interface Place {
  readonly who: Person;
  /** Of the space. */
  readonly name: string;
}

interface Found extends Place {
  readonly role: AdminRole;
}

interface Roles {
  readonly found: readonly Found[];
  /** Where they have none. */
  readonly without: readonly Place[];
  /** Of some space it could not be learnt. */
  readonly isUnknown: boolean;
}

/** Before anything that asks who looks. */
export function routeWays(app: Hono<AdminEnv>, deps: WaysDeps, comeIn: ComeIn, options: CookieOptions): void {
  const { viewers, audit, signIns, clock, hash, newSecret, log } = deps;
  const cookie = options.isSecure ? "__Host-bobbin_going" : "bobbin_going";
  const place = { path: "/", secure: options.isSecure } as const;
  const turns = createTurns(
    AT_ONCE,
    WAITING,
    "Too many are signing in just now. Begin again in a minute, or ask the bot for a link.",
  );

  const wayIn = (c: AdminContext): SignInWay | undefined =>
    deps.ways.find(({ platform }) => platform === c.req.param("platform"));

  /** What goes out can be made of the cookie alone, and the cookie of none of it. */
  function goingOf(held: string, { platform }: SignInWay): Going {
    const of = (what: string): string => hash(`${what} ${platform} ${held}`);
    return { state: of("state"), nonce: of("nonce"), verifier: of("verifier") };
  }

  app.get("/with/:platform", async (c) => {
    const way = wayIn(c);
    if (way === undefined) return notSetUp(c);
    const held = [newSecret(), clock.now() + GOING_MS, ownPath(c.req.query("next"))].join(" ");
    setCookie(c, cookie, held, { ...place, httpOnly: true, sameSite: "Lax", maxAge: GOING_MS / 1_000 });
    c.header("Cache-Control", "no-store, private");
    return c.redirect(way.addressOf(goingOf(held, way)), 302);
  });

  app.get("/with/:platform/back", async (c) => {
    const way = wayIn(c);
    if (way === undefined) return notSetUp(c);
    const held = getCookie(c, cookie) ?? "";
    deleteCookie(c, cookie, place);
    const [secret = "", until = "", next = ""] = held.split(" ");
    const going = goingOf(held, way);
    const leftMs = Number(until) - clock.now();
    const isOwn = isSecret(secret) && isSame(c.req.query("state") ?? "", going.state);
    if (!isOwn || !(leftMs > 0 && leftMs <= GOING_MS)) return again(c, way, BEGUN_ELSEWHERE);
    const error = c.req.query("error");
    // Behind a proxy all have one address, so who is good comes in whatever others try in vain: that is bound by how many are asked about at once.
    const proved = await turns.run(async () => {
      // Whoever reads the address afterwards, in a log or in the history, can use nothing of it.
      if (!(await deps.states.use(going.state, Number(until)))) return { kind: "used" } as const;
      if (error !== undefined) return { kind: "error", error } as const;
      const answer = await way.whoHas(c.req.query("code") ?? "", going);
      return answer.kind === "proved" ? { ...answer, ...(await rolesOf(way, answer)) } : answer;
    });
    switch (proved.kind) {
      case "used":
        return again(c, way, BEGUN_ELSEWHERE);
      case "error":
        return again(c, way, sentenceOf(proved.error, way));
      case "proved":
        return enter(c, way, proved, ownPath(next));
      case "spent":
        return again(
          c,
          way,
          `${way.name} does not take what it gave to your browser: it is too old, or was used.`,
        );
      case "misconfigured": {
        log.error("a platform refuses the sign-in of admins", { platform: way.platform, code: proved.code });
        const sentence = `${way.name} does not take what the bot is set to (${proved.code}). Whoever runs the bot has to correct its client id, its client secret, or the redirect address that ${way.name} knows; npm run doctor says which.`;
        return shown(c, problemPage("Not set up rightly", sentence), 503);
      }
      case "away":
        log.warn("a platform does not say who wants to sign in", { platform: way.platform, why: proved.why });
        return shown(c, problemPage("Not now", `${way.name} does not answer. Try again in a minute.`), 503);
      default:
        return proved satisfies never;
    }
  });

  async function rolesOf({ platform }: SignInWay, { person, name, spaces }: Named): Promise<Roles> {
    const found: Found[] = [];
    const without: Place[] = [];
    let isUnknown = false;
    // One after the other: the work asks the platform too.
    for (const each of spaces.slice(0, MOST_SPACES)) {
      const who: Person = { platform, space: each.space, person, name };
      const role = await viewers.roleOf(who).catch(() => "unknown" as const);
      if (role === "unknown") isUnknown = true;
      else if (role === undefined) without.push({ who, name: each.name });
      else found.push({ who, name: each.name, role });
    }
    return { found, without, isUnknown };
  }

  async function enter(
    c: AdminContext,
    way: SignInWay,
    { person, name, spaces, found, without, isUnknown }: Named & Roles,
    next: string,
  ): Promise<Response> {
    const { platform } = way;
    const [first] = found;
    if (first === undefined) {
      if (isUnknown) {
        const sentence = "Whether you are an admin could not be learnt. Try again in a minute.";
        return shown(c, problemPage("Not now", sentence), 503);
      }
      const refused = await comeIn.tooOften(c, "in vain");
      if (refused !== undefined) return refused;
      for (const { who } of without) await audit.write({ who, kind: "sign_in_refused", about: way.name });
      const places = without.map((each) => each.name);
      return shown(c, noRolePage({ way: way.name, platform, person, name, places }), 403);
    }
    const wanted = found.find(({ who }) => who.space === spaceOfPath(next));
    const only = wanted ?? (found.length === 1 ? first : undefined);
    if (only !== undefined) return comeIn.byOffer(c, await offer(only.who, way), next);
    const choices: ChoosableSpace[] = [];
    for (const { who, ...rest } of found) choices.push({ ...rest, who, link: await offer(who, way) });
    return shown(c, choosePage({ way: way.name, choices, next, hasMore: spaces.length > MOST_SPACES }));
  }

  async function offer(who: Person, way: SignInWay): Promise<string> {
    const secret = newSecret();
    await signIns.offer({ hash: hash(secret), who, until: clock.now() + GOING_MS, way: way.name });
    return secret;
  }

  async function again(c: AdminContext, way: SignInWay, sentence: string): Promise<Response> {
    const refused = await comeIn.tooOften(c, "in vain");
    return refused ?? shown(c, againPage(way.name, wayPathOf(way.platform), sentence), 400);
  }

  async function notSetUp(c: AdminContext): Promise<Response> {
    const sentence = "Nobody signs in with this platform here: its client id and client secret are not set.";
    return shown(c, problemPage("Not set up", sentence), 404);
  }
}

const BEGUN_ELSEWHERE =
  "This sign-in was begun in another browser, is older than ten minutes, or was finished before.";

/** What came with the address may have been written by anybody. */
function sentenceOf(error: string, { name }: SignInWay): string {
  if (error === "access_denied") return `You have cancelled it in ${name}.`;
  return /^[a-z_]{1,40}$/.test(error)
    ? `${name} did not let you through (${error}).`
    : `${name} did not let you through.`;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
