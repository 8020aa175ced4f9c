// The admin pages on a real server and a real Postgres, with platforms that say of people what the test wants.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createAdminPages, type AdminDeps, type AdminOptions } from "../../../src/adapters/admin/app.ts";
import { listen, type Listening } from "../../../src/adapters/http/listen.ts";
import { createNewId, sha256 } from "../../../src/adapters/ids.ts";
import { createAudit } from "../../../src/adapters/postgres/admin/audit.ts";
import { bodyOf } from "../../../src/adapters/openai/wire.ts";
import { createChannelPrivacy } from "../../../src/adapters/postgres/admin/channel-privacy.ts";
import { createExports } from "../../../src/adapters/postgres/admin/exports.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createOverviews } from "../../../src/adapters/postgres/admin/overviews.ts";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createUsageFigures } from "../../../src/adapters/postgres/admin/usage-figures.ts";
import { createAttendanceBook } from "../../../src/adapters/postgres/attendance.ts";
import { createOperations } from "../../../src/adapters/postgres/admin/operations.ts";
import { createRemarks } from "../../../src/adapters/postgres/admin/remarks.ts";
import { createReviews } from "../../../src/adapters/postgres/admin/reviews.ts";
import { createReview } from "../../../src/adapters/postgres/admin/review.ts";
import { isDirectAddress } from "../../../src/adapters/slack/identity.ts";
import { readSlackAddress } from "../../../src/adapters/slack/message-link.ts";
import { createSignIns } from "../../../src/adapters/postgres/admin/sign-ins.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { createSingleUse } from "../../../src/adapters/postgres/single-use.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createAccess } from "../../../src/core/access/access.ts";
import { DEFAULT_ACCESS } from "../../../src/core/access/defaults.ts";
import { createEraser } from "../../../src/core/admin/eraser.ts";
import { createChannels } from "../../../src/core/admin/channels.ts";
import { createDoor } from "../../../src/core/admin/door.ts";
import { createViewers } from "../../../src/core/admin/viewers.ts";
import type { Author } from "../../../src/core/inbound.ts";
import type { Channel } from "../../../src/core/ports/channel-privacy.ts";
import type { AuditedLine } from "../../../src/core/ports/audit.ts";
import { maskEntropy } from "../../../src/core/mask-entropy.ts";
import { maskPatterns } from "../../../src/core/mask.ts";
import type { ParkedRun } from "../../../src/core/ports/operations.ts";
import type { Person } from "../../../src/core/ports/sign-ins.ts";
import type { Watched } from "../../../src/core/ports/watched.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { silentLog } from "../../support/silent-log.ts";

const root = join(import.meta.dirname, "../../..");

/** What a person's browser has and does. */
export interface Browser {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a form, with the token of the page that it stands on unless told otherwise. */
  send(
    path: string,
    fields?: Record<string, string>,
    options?: { readonly token?: "none" | "wrong"; readonly headers?: Record<string, string> },
  ): Promise<Answer>;
  cookie: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface AdminWorld extends AsyncDisposable {
  readonly sql: Sql;
  readonly clock: ManualClock;
  readonly url: string;
  /** What the platforms say; nobody without a line. An error is a platform that does not answer, a promise one that takes its time. */
  readonly people: Map<string, Author | Error | Promise<Author>>;
  /** From now on their platform says of them that they are an admin there. */
  makeAdmin(who: Person): void;
  /** What was to be tried again, and for whom. */
  readonly retried: readonly (readonly [Person, ParkedRun])[];
  /** Which channels are private; undefined where the platform does not say. All others are public. */
  readonly privacy: Map<string, boolean | undefined>;
  /** Every route that the app has, as `GET /admin/…`, or `ALL /admin/…` for every method. */
  readonly routes: readonly string[];
  newBrowser(): Browser;
  /** The link that somebody is given, as a path. */
  link(who: Person, session?: SessionId): Promise<string>;
  /** A browser that came in by a link. */
  signedIn(who: Person): Promise<Browser>;
  audited(who: Person): Promise<readonly AuditedLine[]>;
}

export const person = (space: string, id: string, name = id): Person => ({
  platform: "slack",
  space,
  person: id,
  name,
});

export const REVIEWERS = ["slack:T1:UREVIEW", "slack:T2:UOTHER"];

/** Those who run the bot. */
const OPERATORS = ["slack:T1:UROOT"];

export async function openAdminWorld(
  options: {
    readonly owner?: Person;
    readonly attempts?: AdminDeps["attempts"];
    readonly allowedHosts?: readonly string[];
    readonly ways?: AdminDeps["ways"];
    readonly platforms?: AdminOptions["platforms"];
    /** Of the queue and what else is shared; as an idle one unless said. */
    readonly watched?: Partial<Watched>;
    /** A database that is there already; a fresh one unless said. */
    readonly url?: string;
    readonly isSecure?: boolean;
  } = {},
): Promise<AdminWorld> {
  await using stack = new AsyncDisposableStack();
  const url = options.url ?? stack.use(await freshDatabase()).url;
  const sql = openPostgres({ url });
  stack.defer(() => sql.close());
  const clock = manualClock(Date.now());
  const people: AdminWorld["people"] = new Map();
  const privacy = new Map<string, boolean | undefined>();
  const signIns = createSignIns(sql);
  const audit = createAudit(sql);
  const access = createAccess({ ...DEFAULT_ACCESS, reviewers: { users: REVIEWERS, roles: [] } });
  const hash = sha256;
  const peopleNow = {
    look: ({ platform, space, person: id }: Person) => {
      const said = people.get(`${platform}:${space}:${id}`);
      return said instanceof Error ? Promise.reject(said) : Promise.resolve(said);
    },
  };
  const viewers = createViewers({ signIns, peopleNow, access, clock, hash });
  const isPrivate = ({ channel }: Channel) =>
    Promise.resolve(privacy.has(channel) ? privacy.get(channel) : false);
  const newSecret = (): string => randomBytes(32).toString("base64url");
  const newId = createNewId(clock);
  const erasures = createErasures(sql);
  const bell = { signal: () => Promise.resolve(), wake: () => Promise.resolve() };
  const eraser = createEraser({ erasures, audit, stops: bell, queue: bell, clock, newId, log: silentLog });
  stack.defer(() => eraser.stop());
  const retried: (readonly [Person, ParkedRun])[] = [];
  const app = createAdminPages(
    {
      signIns,
      viewers,
      ways: options.ways ?? [],
      states: createSingleUse(sql),
      audit,
      overviews: createOverviews(sql, isDirectAddress),
      makeOverview: createOverviewMaker(sql).make,
      review: createReview(sql),
      usage: createUsageFigures(sql),
      eraser,
      erasures,
      holds: createHolds(sql),
      operations: createOperations(sql, isDirectAddress),
      watched: {
        depth: () => Promise.resolve({ runs: { waiting: 0, active: 0 }, goals: { waiting: 0, active: 0 } }),
        leases: (sessions) => Promise.resolve(sessions.map(() => undefined)),
        budgets: () => Promise.resolve([]),
        ...options.watched,
      },
      attendance: createAttendanceBook(sql),
      board: async () => ({ fetch: (request) => new Response(`queues at ${request.url}`) }),
      isOperator: ({ platform, space, person: id }) => OPERATORS.includes(`${platform}:${space}:${id}`),
      retry: async (who, parked) => {
        retried.push([who, parked]);
        return "Trying again.";
      },
      remarks: createRemarks(sql),
      reviews: createReviews(sql, isDirectAddress),
      channels: createChannels({
        privacy: createChannelPrivacy(sql, sql),
        now: { isPrivate },
        clock,
        log: silentLog,
      }),
      exports: createExports(sql, isDirectAddress),
      mask: (text) => maskEntropy(maskPatterns(text)),
      linkedIn: readSlackAddress,
      bodyOf,
      clock,
      hash,
      newId,
      newSecret,
      log: silentLog,
      attempts: options.attempts ?? { take: () => true },
    },
    {
      assets: [
        join(root, "node_modules/uplot/dist"),
        join(root, "src/adapters/web/browser"),
        join(root, "src/adapters/admin/browser"),
      ],
      ...(options.owner === undefined ? {} : { owner: options.owner }),
      allowedHosts: options.allowedHosts ?? [],
      platforms: options.platforms ?? ["slack", "discord"],
      isSecure: options.isSecure ?? false,
    },
  );
  const server: Listening = await listen(
    { apps: [{ path: "/admin", app }], checks: [], clock, log: silentLog },
    { host: "127.0.0.1", port: 0 },
  );
  stack.defer(() => server.close());
  const door = createDoor({ signIns, clock, hash, newSecret }, server.url);

  function newBrowser(): Browser {
    const tokens = new Map<string, string>();
    const tokenOf = async (): Promise<string> => {
      const { cookie } = browser;
      const known = tokens.get(cookie);
      if (known !== undefined) return known;
      const page = await browser.get("/admin/browsers");
      const token = /name="csrf" value="([0-9a-f]+)"/.exec(page.text)?.[1] ?? "";
      tokens.set(cookie, token);
      return token;
    };
    const browser: Browser = {
      cookie: "",
      get: (path, headers = {}) => ask(path, { headers }),
      async send(path, fields = {}, { token, headers = {} } = {}) {
        const csrf = token === "none" ? {} : { csrf: token === "wrong" ? "0".repeat(64) : await tokenOf() };
        const body = new URLSearchParams({ ...fields, ...csrf });
        return ask(path, { method: "POST", body, headers: { origin: server.url, ...headers } });
      },
    };
    async function ask(path: string, init: RequestInit): Promise<Answer> {
      const headers = { ...(init.headers as Record<string, string>), cookie: browser.cookie };
      const response = await fetch(`${server.url}${path}`, { ...init, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) browser.cookie = withCookie(browser.cookie, line);
      return { status: response.status, text: await response.text(), headers: response.headers };
    }
    return browser;
  }

  async function link(who: Person, session?: SessionId): Promise<string> {
    const said = await door.open({
      author: { id: who.person, name: who.name },
      place: who,
      ...(session === undefined ? {} : { session }),
    });
    const address = /\((http[^)]+)\)/.exec(said)?.[1] ?? "";
    return new URL(address).pathname;
  }

  const kept = stack.move();
  return {
    sql,
    clock,
    url: server.url,
    people,
    makeAdmin: ({ platform, space, person: id, name }) =>
      void people.set(`${platform}:${space}:${id}`, {
        id,
        name,
        kind: "member",
        roles: [],
        isPlatformAdmin: true,
      }),
    retried,
    privacy,
    // A check before a route counts as the same once more; what is mounted, or takes any method, is one too.
    routes: app.routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route, n, all) => all.indexOf(route) === n),
    newBrowser,
    link,
    async signedIn(who) {
      const browser = newBrowser();
      const answer = await browser.send(await link(who), {}, { token: "none" });
      if (answer.status !== 303) throw new Error(`not let in: ${answer.status}`);
      return browser;
    },
    audited: (who) => audit.list(who, { limit: 1_000 }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A browser's cookies after one more was set, or taken away. */
function withCookie(cookies: string, line: string): string {
  const [pair = ""] = line.split(";");
  const name = pair.slice(0, pair.indexOf("=") + 1);
  const others = cookies.split("; ").filter((each) => each !== "" && !each.startsWith(name));
  return (/; Max-Age=0(;|$)/.test(line) ? others : [...others, pair]).join("; ");
}
