/** What is said and what is answered, as it is stored: without the secrets that are known or look like one. */

import { createFeedbackBook } from "../adapters/postgres/feedback.ts";
import { createInbox } from "../adapters/postgres/inbox.ts";
import { createReactionBook } from "../adapters/postgres/reactions.ts";
import { createRunStore, type RunStoreOptions } from "../adapters/postgres/run-store.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import { createWebInbox } from "../adapters/postgres/web-inbox.ts";
import type { NewId } from "../core/ids.ts";
import { createKnownSecrets, type SecretsInTalk } from "../core/mask.ts";
import { createShownMask, type ShownMask } from "../core/mask-shown.ts";
import {
  createStoredMask,
  maskedArrivals,
  maskedInbox,
  maskedStore,
  type StoredMask,
} from "../core/mask-stored.ts";
import type { FeedbackBook } from "../core/ports/feedback.ts";
import type { Inbox } from "../core/ports/inbox.ts";
import type { ReactionBook } from "../core/ports/reactions.ts";
import type { RunStore } from "../core/ports/run-store.ts";
import type { WebInbox } from "../core/ports/web-messages.ts";

export interface Stores {
  readonly inbox: Inbox;
  readonly written: RunStore;
  readonly arrivals: WebInbox;
  /** For what else is made of what people say. */
  readonly mask: StoredMask;
  /** For what people see of it before it is stored. */
  readonly shown: ShownMask;
  /** What people say of it without words. */
  readonly opinions: { readonly feedback: FeedbackBook; readonly reactions: ReactionBook };
}

/** @param secrets well-known patterns where none is given. */
export function openStores(
  {
    sql,
    newId,
    secrets = createKnownSecrets([]),
  }: { readonly sql: Sql; readonly newId: NewId; readonly secrets?: SecretsInTalk | undefined },
  options: RunStoreOptions,
): Stores {
  const mask = createStoredMask(secrets.find, secrets.maskPart);
  return {
    mask,
    shown: createShownMask(secrets),
    inbox: maskedInbox(createInbox(sql), mask),
    written: maskedStore(createRunStore({ sql, newId }, options), mask),
    arrivals: maskedArrivals(createWebInbox(sql), mask),
    opinions: { feedback: createFeedbackBook(sql), reactions: createReactionBook(sql) },
  };
}
