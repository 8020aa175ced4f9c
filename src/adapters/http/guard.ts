/**
 * Who may talk to the pages of this server. A page of another site that a person has open can send requests to this server too, under
 * its own name (cross-site) or under a name that it bends to this address (DNS rebinding). Both are refused here.
 */

import type { Context, MiddlewareHandler } from "hono";

export interface GuardOptions {
  /** What a body has to be: another site's form cannot send JSON unasked. Pages with forms prove where they come from by themselves. */
  readonly bodies: "json" | "forms";
  /** Names beside the loopback's that this server is reached by, without port. */
  readonly allowedHosts: readonly string[];
  /** Whoever comes through a proxy that says so is refused, whatever name they come by. Default nobody is. */
  readonly refuses?: "forwarded";
  /** What whoever is refused for their name reads. Default that `PUBLIC_URL` is to be set. */
  readonly sentence?: string;
  /** What else of these kinds a page of ours may have, by its path: for one that others have made. Default nothing. */
  readonly alsoAllowed?: (path: string) => Readonly<Record<string, string>>;
}

const POLICY: Readonly<Record<string, string>> = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self'",
  "connect-src": "'self'",
  "form-action": "'self'",
  "base-uri": "'none'",
  "frame-ancestors": "'none'",
};

const written = (policy: Readonly<Record<string, string>>): string =>
  Object.entries(policy)
    .map(([kind, from]) => `${kind} ${from}`)
    .join("; ");

const USUAL = written(POLICY);

export function guard(options: GuardOptions): MiddlewareHandler {
  const allowed = new Set(options.allowedHosts.map((host) => host.toLowerCase()));

  return async function guarded(c, next) {
    const refused = refusal(c, allowed, options);
    if (refused === undefined) await next();
    else c.res = c.text(refused, 403);
    const more = options.alsoAllowed?.(c.req.path) ?? {};
    c.header(
      "Content-Security-Policy",
      Object.keys(more).length === 0 ? USUAL : written({ ...POLICY, ...more }),
    );
    c.header("X-Content-Type-Options", "nosniff");
    c.header("X-Frame-Options", "DENY");
    // Without a referrer at all a form's own origin would not be told either.
    c.header("Referrer-Policy", options.bodies === "forms" ? "same-origin" : "no-referrer");
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    return undefined;
  };
}

/** What proxies add, each its own. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
] as const;

/** Whether the request came over the loopback and not through a proxy that only stands there. */
export function isFromHere(
  c: Context<{ Bindings: { incoming?: { socket: { remoteAddress?: string } } } }>,
): boolean {
  const remote = c.env?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, "");
  const isNear = remote === "::1" || remote?.startsWith("127.");
  // What is not known is not near.
  return isNear === true && !isForwarded(c) && isLoopback(hostOf(c)?.hostname ?? "");
}

function isForwarded(c: Pick<Context, "req">): boolean {
  return FORWARDED.some((name) => c.req.header(name) !== undefined);
}

const OTHER_NAME = "This name is not one that the bot is reached by. Set PUBLIC_URL to the address you use.";

function refusal(
  c: Context,
  allowed: ReadonlySet<string>,
  { bodies, refuses, sentence = OTHER_NAME }: GuardOptions,
): string | undefined {
  const host = hostOf(c);
  if (host === undefined || !(isLoopback(host.hostname) || allowed.has(host.hostname))) return sentence;
  if (refuses === "forwarded" && isForwarded(c)) return sentence;
  if (c.req.method === "GET" || c.req.method === "HEAD") return undefined;
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  const isOwn =
    origin === undefined ? site === undefined || site === "same-origin" : isOwnOrigin(origin, host, allowed);
  if (!isOwn) return "This request comes from another site.";
  if (bodies === "forms") return undefined;
  // A form of another site cannot send this type without asking first.
  const isJson = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/json";
  return isJson ? undefined : "The body has to be application/json.";
}

/** The port counts too: another program on this machine is another site. Behind a proxy the Host may be rewritten. */
function isOwnOrigin(origin: string, host: URL, allowed: ReadonlySet<string>): boolean {
  const from = URL.parse(origin);
  return from !== null && (from.host === host.host || allowed.has(from.hostname));
}

function hostOf(c: Context): URL | undefined {
  return URL.parse(`http://${c.req.header("host") ?? new URL(c.req.url).host}`) ?? undefined;
}

export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
