/** The web chat's messages: rows, so that a worker in another process can answer. */

import type { MessageInbound } from "../inbound.ts";
import type { SessionId } from "../thread.ts";
import type { Admission, Stored } from "./inbox.ts";
import type { PageContent } from "./surface.ts";

export interface WebMessage {
  readonly session: SessionId;
  /** Given by the writer: the person's browser for messages, the page key for replies. */
  readonly id: string;
  /** Raised at every change of any message of the session; orders what a browser has to fetch again. */
  readonly revision: number;
  readonly from: "person" | "bot";
  readonly speaker: string;
  readonly page: PageContent;
  readonly deleted: boolean;
  /** ms since 1970; when it was first written. Messages are shown in the order of their creation. */
  readonly at: number;
}

export interface WebThread {
  readonly session: SessionId;
  /** First words of the first message, or the title. */
  readonly label: string;
  /** ms since 1970; when a person last wrote in it. */
  readonly at: number;
}

export interface WebMessages {
  /**
   * Inserts, or does nothing when the id is there already; answers the row as it stands.
   * @param label of the thread, where this is its first message and its words are none.
   */
  insert(
    message: Pick<WebMessage, "session" | "id" | "from" | "speaker" | "page">,
    label?: string,
  ): Promise<WebMessage>;
  /** Replaces the page; undefined when there is no such message or it was deleted. */
  update(session: SessionId, id: string, page: PageContent): Promise<WebMessage | undefined>;
  remove(session: SessionId, id: string): Promise<WebMessage | undefined>;
  get(session: SessionId, id: string): Promise<WebMessage | undefined>;
  /** Ascending by creation; only those changed after `sinceRevision` where given. */
  list(session: SessionId, sinceRevision?: number): Promise<readonly WebMessage[]>;
  /** Those that a person last wrote in first. */
  threads(limit: number): Promise<readonly WebThread[]>;
}

/** A person's message as what the thread shows and as what the bot shall answer: both are stored, or neither. */
export interface WebInbox {
  /**
   * Durable when it resolves; undefined when a row with this id is there already, and then nothing is stored. The inbound has
   * the row's time.
   */
  put(
    message: Pick<WebMessage, "session" | "id" | "speaker" | "page">,
    inbound: MessageInbound,
    /** Without limits: nothing is counted here. */
    admission: Omit<Admission, "counted">,
  ): Promise<{ readonly row: WebMessage; readonly stored: Stored } | undefined>;
}
