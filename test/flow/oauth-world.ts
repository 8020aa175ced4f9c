// Bobbin distributed to several workspaces of the local Slack, and a browser in which people install it.
import { expect } from "vitest";
import { createLog } from "../../src/adapters/log.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { Role } from "../../src/app.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";
import { createKnownSecrets } from "../../src/core/mask.ts";
import { createFakeLlm, type FakeLlm, type FakeLlmOptions } from "../support/fake-llm/server.ts";
import { spawnProduct, startProduct, type Environment, type ProductProcess } from "../support/product.ts";
import { freePort } from "../support/services/free-port.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";
import {
  createLocalSlack,
  type LocalSlack,
  type LocalTeam,
  type TeamOptions,
} from "../support/slack/local-slack.ts";
import type { Person, Said } from "../support/slack/person.ts";
import { until } from "../support/until.ts";

export const KEYS = ["a".repeat(64), "b".repeat(64)] as const;

/** A workspace with somebody in it. */
export interface Office {
  readonly team: LocalTeam;
  readonly ana: Person;
  /** Ana mentions the bot in the channel. */
  mention(words: string): Said;
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface InstallOptions {
  /** The gateway on which it begins, and the one to which Slack's page leads back. Default the first. */
  readonly from?: string;
  readonly to?: string;
  /** For the whole organisation. */
  readonly everywhere?: true;
}

export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

export interface OAuthWorld extends AsyncDisposable {
  readonly slack: LocalSlack;
  readonly llm: FakeLlm;
  readonly sql: Sql;
  readonly env: Environment;
  /** What all parts within the test have logged. */
  readonly lines: readonly string[];
  office(id: string, options?: TeamOptions): Office;
  /** Another one within the test. */
  start(role: Role, more?: Environment): Promise<Gateway>;
  spawn(role: Role): Promise<{ readonly process: ProductProcess; readonly url: string }>;
  /** Where `/slack/install` leads, with the cookie that it set. */
  begin(from?: string): Promise<{ readonly slackUrl: string; readonly cookie: string }>;
  /** What the browser shows when Slack has sent it back. */
  follow(backUrl: string, cookie: string | undefined, to?: string): Promise<Page>;
  /** As a person does it, from the link to the last page. */
  install(office: Office, options?: InstallOptions): Promise<Page>;
  /** The bot's answer stands below. */
  answered(office: Office, said: Said): Promise<void>;
  /** What became of the message that was said: its fate, or its state while it has none. */
  becameOf(said: Said): Promise<{ readonly fate: string; readonly reason: string | null }>;
  /** As `/readyz` of the first says it. */
  ready(): Promise<{ readonly ready: boolean; readonly troubles: readonly string[] }>;
  /** Every call in a channel was made with the token of that channel's workspace. */
  expectUnmixed(...offices: readonly Office[]): void;
}

export interface OAuthWorldOptions {
  readonly over?: "http" | "socket";
  readonly access?: Partial<AccessRules>;
  readonly llm?: FakeLlmOptions;
}

export async function openOAuthWorld(options: OAuthWorldOptions = {}): Promise<OAuthWorld> {
  const { over = "http" } = options;
  await using building = new AsyncDisposableStack();
  const slack = building.use(await createLocalSlack({ retryDelaysMs: [50, 200, 1_000] }));
  const llm = await createFakeLlm(options.llm);
  building.defer(() => llm.close());
  const database = building.use(await freshDatabase());
  const redis = building.use(await freshRedis());
  const sql = openPostgres({ url: database.url, log: silentLog });
  building.defer(() => sql.close());
  const publicUrl = `http://127.0.0.1:${await freePort()}`;
  slack.oauth.redirectUrls.add(`${publicUrl}/slack/oauth_redirect`);
  slack.oauth.redirectUrls.add(`${publicUrl}/admin/with/slack/back`);
  const env: Environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    PUBLIC_URL: publicUrl,
    SECRET_KEY: KEYS[0],
    SLACK_API_URL: slack.slackApiUrl,
    SLACK_CLIENT_ID: slack.app.clientId,
    SLACK_CLIENT_SECRET: slack.app.clientSecret,
    ...(over === "socket"
      ? { SLACK_APP_TOKEN: slack.app.appToken }
      : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
  };
  const urls: string[] = [];
  const lines: string[] = [];
  const known = createKnownSecrets([slack.app.clientSecret]);
  const log = createLog({ write: (line) => void lines.push(line) }, { level: "debug", secrets: known });
  const running = building.use(new AsyncDisposableStack());
  const stack = building.move();
  const first = (): string => urls[0] ?? "";

  function heard(role: Role, url: string): void {
    if (role === "worker") return;
    urls.push(url);
    if (over === "http") slack.useHttp(`${first()}/slack/events`);
  }

  const world: OAuthWorld = {
    slack,
    llm,
    sql,
    env,
    lines,
    office(id, teamOptions = {}) {
      const team = slack.team(id, { isEmpty: true, ...teamOptions });
      const ana = team.person(`Ana of ${id}`);
      const channel = team.channel(`general-${id}`);
      return { team, ana, mention: (words) => ana.say(channel, `${team.botMention} ${words}`) };
    },
    async start(role, more = {}) {
      const app = running.use(
        await startProduct(
          role,
          { ...env, ...more },
          { log, learn: (secret) => known.learn(secret) },
          {},
          options.access,
        ),
      );
      heard(role, app.url);
      return {
        url: app.url,
        async stop() {
          if (urls.includes(app.url)) urls.splice(urls.indexOf(app.url), 1);
          await app.stop();
        },
      };
    },
    async spawn(role) {
      const process = running.use(spawnProduct(role, env));
      const url = await process.ready();
      heard(role, url);
      return { process, url };
    },
    async begin(from = first()) {
      const answer = await fetch(`${from}/slack/install`, { redirect: "manual" });
      expect(answer.status).toBe(302);
      const cookie = answer.headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/; Secure; HttpOnly;/);
      return { slackUrl: answer.headers.get("location") ?? "", cookie: cookie.split(";")[0] ?? "" };
    },
    async follow(backUrl, cookie, to = first()) {
      const { pathname, search } = new URL(backUrl);
      const answer = await fetch(`${to}${pathname}${search}`, {
        headers: cookie === undefined ? {} : { cookie },
        redirect: "manual",
      });
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    },
    async install({ team, ana }, { from, to, everywhere } = {}) {
      const { slackUrl, cookie } = await world.begin(from);
      const allowing = { team: team.teamId, by: ana, ...(everywhere ? { everywhere } : {}) };
      return world.follow(slack.oauth.allow(slackUrl, allowing), cookie, to);
    },
    async answered({ team }, said) {
      await until(
        () =>
          team
            .thread(said.channel, said)
            .some(({ userId, text }) => userId === team.app.botUserId && text.includes("You said")),
        { what: "the bot's answer stands there" },
      );
    },
    async becameOf({ channel, ts }) {
      const [row] = await sql.query<{ fate: string; reason: string | null }>(
        {
          text: `select coalesce(fate, state) as fate, reason from inbox
            where message = $1 and split_part(session, ':', 3) = $2`,
        },
        [ts, channel],
      );
      return row ?? { fate: "unknown", reason: null };
    },
    async ready() {
      const answer = (await (await fetch(`${first()}/readyz`)).json()) as {
        readonly ready: boolean;
        readonly troubles?: readonly { readonly why: string }[];
      };
      return { ready: answer.ready, troubles: (answer.troubles ?? []).map(({ why }) => why) };
    },
    expectUnmixed(...offices) {
      const owners = new Map(
        offices.flatMap(({ team }) => team.channelIds().map((id) => [id, team.app.org?.id ?? team.teamId])),
      );
      const calls = slack.calls.flatMap(({ args, owner, method }) => {
        const place = args["channel"] ?? args["channel_id"];
        return typeof place === "string" ? [{ method, place, owner }] : [];
      });
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.filter(({ place, owner }) => owners.get(place) !== owner)).toEqual([]);
      expect(slack.complaints).toEqual([]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return world;
}
