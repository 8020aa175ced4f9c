// The stores over one database, as the suites of the ports take them.
import { randomBytes } from "node:crypto";
import { createInbox } from "../../../src/adapters/postgres/inbox.ts";
import { createGoals } from "../../../src/adapters/postgres/goals.ts";
import { createModelCalls, type ModelCalls } from "../../../src/adapters/postgres/model-calls.ts";
import { createPages } from "../../../src/adapters/postgres/pages.ts";
import { createPictures } from "../../../src/adapters/postgres/pictures.ts";
import { createRunStore } from "../../../src/adapters/postgres/run-store.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createTranscripts } from "../../../src/adapters/postgres/transcripts.ts";
import type { Goals } from "../../../src/core/ports/goals.ts";
import type { Inbox } from "../../../src/core/ports/inbox.ts";
import type { Pages } from "../../../src/core/ports/pages.ts";
import type { Pictures } from "../../../src/core/ports/pictures.ts";
import type { RunStore } from "../../../src/core/ports/run-store.ts";
import type { Transcripts } from "../../../src/core/ports/transcripts.ts";

export interface Stores {
  readonly inbox: Inbox;
  readonly store: RunStore;
  readonly transcripts: Transcripts;
  readonly pages: Pages;
  readonly pictures: Pictures;
  readonly calls: ModelCalls;
  readonly goals: Goals;
  /** What `open` gives at most. */
  readonly tailLimit: number;
}

export function storesOver(sql: Sql): Stores {
  const tailLimit = 200;
  return {
    inbox: createInbox(sql),
    store: createRunStore({ sql, newId: () => randomBytes(12).toString("hex") }, { tail: tailLimit }),
    transcripts: createTranscripts(sql),
    pages: createPages(sql),
    pictures: createPictures(sql),
    calls: createModelCalls(sql),
    goals: createGoals(sql),
    tailLimit,
  };
}
