// Slack's way in over real parts: the local Slack, Bolt, our HTTP server, and a store in a real Postgres. Nothing answers here: what
// counts is what is stored, what is acknowledged, and what one person is told.
import { shutDoor } from "../../support/shut-door.ts";
import { noBranching } from "../../support/no-branching.ts";
import { createGoals } from "../../../src/adapters/postgres/goals.ts";
import { goalCommands, NO_GOAL_THREADS } from "../../support/memory-goals.ts";
import type { Reaction } from "../../../src/core/run/wake-goal.ts";
import { createLocalRunQueue } from "../../../src/adapters/local/run-queue.ts";
import { createLocalStops } from "../../../src/adapters/local/stops.ts";
import { listen, type Listening } from "../../../src/adapters/http/listen.ts";
import { createAnswers } from "../../../src/adapters/postgres/answers.ts";
import { createFeedbackBook } from "../../../src/adapters/postgres/feedback.ts";
import { createInbox } from "../../../src/adapters/postgres/inbox.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { createPersonThreads } from "../../../src/adapters/postgres/person-threads.ts";
import { createReactionBook } from "../../../src/adapters/postgres/reactions.ts";
import { createReview } from "../../../src/adapters/postgres/admin/review.ts";
import { createRunStore } from "../../../src/adapters/postgres/run-store.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createTranscripts } from "../../../src/adapters/postgres/transcripts.ts";
import { createSlackApi } from "../../../src/adapters/slack/api.ts";
import { SlackConnection, type SlackInlet } from "../../../src/adapters/slack/connection.ts";
import { createHome } from "../../../src/adapters/slack/home.ts";
import { identify } from "../../../src/adapters/slack/identify.ts";
import { writtenTo } from "../../../src/adapters/slack/identity.ts";
import { createSlackPeople } from "../../../src/adapters/slack/people.ts";
import { PrivateAnswers } from "../../../src/adapters/slack/private-answers.ts";
import { createReceive } from "../../../src/adapters/slack/receive.ts";
import { createTell } from "../../../src/adapters/slack/tell.ts";
import { createNewId } from "../../../src/adapters/ids.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createPages } from "../../../src/adapters/postgres/pages.ts";
import { createCommands } from "../../../src/core/command/commands.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { Author, Inbound } from "../../../src/core/inbound.ts";
import type { Models } from "../../../src/core/command/models.ts";
import type { FeedbackBook } from "../../../src/core/ports/feedback.ts";
import type { Pages } from "../../../src/core/ports/pages.ts";
import type { ReactionBook } from "../../../src/core/ports/reactions.ts";
import type { Review } from "../../../src/core/ports/review.ts";
import type { RunStore } from "../../../src/core/ports/run-store.ts";
import type { Transcripts } from "../../../src/core/ports/transcripts.ts";
import type { AccessRules } from "../../../src/core/access/rules.ts";
import { createIntake, type Intake } from "../../../src/core/run/intake.ts";
import { scriptedRecord } from "../../support/scripted-model.ts";
import { silentLog } from "../../support/silent-log.ts";
import {
  createLocalSlack,
  type LocalSlack,
  type LocalSlackOptions,
} from "../../support/slack/local-slack.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { accessWith } from "../../support/access.ts";

type ReactionHeard = Omit<Reaction, "author"> & { readonly author: Author };

export interface InboundWorld extends AsyncDisposable {
  readonly slack: LocalSlack;
  readonly connection: SlackConnection;
  readonly http: Listening;
  readonly store: RunStore;
  readonly transcripts: Transcripts;
  readonly pages: Pages;
  readonly feedback: FeedbackBook;
  /** Everything that was stored, in its order. */
  stored(): Promise<readonly Inbound[]>;
  sessions(): Promise<readonly string[]>;
  /** What is stored of reactions. */
  rowsOfReactions(): Promise<number>;
  readonly review: Review;
  /** The next so many inbounds, or reactions to what is kept, cannot be stored. */
  breakStore(times: number): void;
  /** Those that may wake a goal. */
  readonly reactions: readonly ReactionHeard[];
  /** One more gateway for the same app and store. */
  another(): Promise<SlackConnection>;
}

/** What a thread may use. */
const MODELS: Models = {
  usual: { ...scriptedRecord, name: "plain-1" },
  listed: [{ ...scriptedRecord, name: "deep-2", thinking: "effort" }],
};

export interface WorldOptions {
  readonly over?: SlackInlet["kind"];
  readonly slack?: LocalSlackOptions;
  /** What the team has configured. */
  readonly access?: (slack: LocalSlack) => Partial<AccessRules>;
  readonly socket?: Partial<Extract<SlackInlet, { kind: "socket" }>>;
}

export async function inboundWorld(options: WorldOptions = {}): Promise<InboundWorld> {
  const over = options.over ?? "socket";
  const slack = await createLocalSlack({ retryDelaysMs: [0, 50, 100], ...options.slack });
  const database = await freshDatabase();
  const sql: Sql = openPostgres({ url: database.url, connections: 4, log: silentLog });
  const clock = createSystemClock();
  const deps = { clock, log: silentLog };
  const newId = createNewId(clock);
  const transcripts = createTranscripts(sql);
  const threads = createPersonThreads(sql);
  const feedback = createFeedbackBook(sql);
  const reactions: ReactionHeard[] = [];
  let broken = 0;
  const access = accessWith(options.access?.(slack));
  const real = createIntake({
    access,
    inbox: createInbox(sql),
    queue: createLocalRunQueue(),
    stops: createLocalStops(),
    ...deps,
  });
  const fail = (): void => {
    if (broken === 0) return;
    broken--;
    throw new BobbinError("store_unavailable", "connection refused");
  };
  const intake: Intake = {
    async receive(inbound) {
      fail();
      return real.receive(inbound);
    },
  };
  const book = createReactionBook(sql);
  const kept: ReactionBook = {
    ...book,
    async put(reaction) {
      fail();
      await book.put(reaction);
    },
  };
  const apiUrl = slack.slackApiUrl;
  const api = createSlackApi(deps, { token: slack.app.botToken, apiUrl });
  const bot = await identify(api);
  const inlet: SlackInlet =
    over === "socket"
      ? {
          kind: "socket",
          appToken: slack.app.appToken,
          apiUrl,
          pauseMs: { first: 20, longest: 100 },
          closeMs: 200,
          ...options.socket,
        }
      : { kind: "http", signingSecret: slack.app.signingSecret };
  const connections: SlackConnection[] = [];
  const tell = createTell({ api, log: silentLog });
  const answers = new PrivateAnswers({
    answers: createAnswers(sql),
    tellIn: () => tell,
    goalThreads: NO_GOAL_THREADS,
    ...deps,
  });
  const another = async (): Promise<SlackConnection> => {
    const people = createSlackPeople({ api, clock });
    const receive = createReceive(
      {
        intake,
        commands: createCommands(
          {
            access,
            goals: goalCommands(createGoals(sql)),
            feedback,
            intake,
            branching: noBranching,
            transcripts,
            models: MODELS,
            door: shutDoor,
            clock,
            log: silentLog,
          },
          { written: writtenTo(bot) },
        ),
        transcripts,
        people,
        answers,
        openForm: () => Promise.reject(new Error("no form is opened here")),
        async reacted(reaction) {
          reactions.push({ ...reaction, author: await reaction.author() });
          return true;
        },
        reactions: kept,
        home: createHome({ api, access, threads, people, log: silentLog }, bot),
        ...deps,
      },
      bot,
    );
    const made = new SlackConnection({ receive, ...deps }, { inlet, apiUrl });
    connections.push(made);
    await made.start();
    return made;
  };
  const connection = await another();
  const http = await listen(
    {
      apps: connection.http === undefined ? [] : [{ path: "/slack", direct: connection.http }],
      checks: [{ name: "Slack", check: () => Promise.resolve(connection.check()) }],
      ...deps,
    },
    { host: "127.0.0.1", port: 0 },
  );
  if (over === "http") slack.useHttp(`${http.url}/slack/events`);
  return {
    slack,
    connection,
    http,
    store: createRunStore({ sql, newId }),
    transcripts,
    pages: createPages(sql),
    feedback,
    reactions,
    review: createReview(sql),
    async rowsOfReactions() {
      const text = "select count(*) as rows from reactions";
      const [row] = await sql.query<{ rows: number }>({ name: "test-reactions", text });
      return row?.rows ?? 0;
    },
    another,
    breakStore: (times) => void (broken = times),
    async stored() {
      const rows = await sql.query<{ body: Inbound }>({
        name: "test-stored",
        text: "select body from inbox order by seq",
      });
      return rows.map(({ body }) => body);
    },
    async sessions() {
      const rows = await sql.query<{ id: string }>({
        name: "test-sessions",
        text: "select id from sessions order by id",
      });
      return rows.map(({ id }) => id);
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      for (const each of connections) await each.stop();
      await sql.close();
      await database[Symbol.asyncDispose]();
      await slack.close();
    },
  };
}
