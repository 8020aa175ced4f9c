// The web chat with everything behind it played: rows in memory, and a bot that does what the test says.
import { shutDoor } from "../../support/shut-door.ts";
import { memoryFeedback } from "../../support/memory-feedback.ts";
import { noBranching } from "../../support/no-branching.ts";
import { goalCommands } from "../../support/memory-goals.ts";
import { createNewId } from "../../../src/adapters/ids.ts";
import { listen, type Listening } from "../../../src/adapters/http/listen.ts";
import { createLocalLive } from "../../../src/adapters/local/live.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import {
  createWebChat,
  type WebChatDeps,
  type WebChatOptions,
} from "../../../src/adapters/web/connection.ts";
import { createWebSurface } from "../../../src/adapters/web/surface.ts";
import { createCommands } from "../../../src/core/command/commands.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { Inbound, MessageInbound } from "../../../src/core/inbound.ts";
import type { Log } from "../../../src/core/ports/log.ts";
import type { PictureBytes } from "../../../src/core/ports/pictures.ts";
import type { PageContent, Surface } from "../../../src/core/ports/surface.ts";
import type { WebInbox } from "../../../src/core/ports/web-messages.ts";
import type { SessionStatus, Transcripts } from "../../../src/core/ports/transcripts.ts";
import type { Intake } from "../../../src/core/run/intake.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { scriptedRecord } from "../../support/scripted-model.ts";
import { until } from "../../support/until.ts";
import { memoryWebMessages } from "./memory-web-messages.ts";
import { accessWith } from "../../support/access.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

export class ChatWorld {
  readonly messages = memoryWebMessages();
  readonly inbounds: Inbound[] = [];
  readonly status = new Map<SessionId, SessionStatus>();
  /** By their hash. */
  readonly pictures = new Map<string, PictureBytes>();
  /** While true, an inbound cannot be stored though the rows can. */
  isIntakeAway = false;
  transcript: Pick<Transcripts, "entries" | "inbounds" | "runs"> = {
    entries: async () => [],
    inbounds: async () => [],
    runs: async () => [],
  };

  readonly #live = createLocalLive();
  readonly #clock = createSystemClock();
  #server: Listening | undefined;

  readonly #intake: Intake = {
    receive: async (inbound, put) => {
      if (put !== undefined) {
        const { kind } = await put({ rule: "admins: whoever is here" });
        if (kind === "ignored") return { kind };
        return { kind: kind === "stored" ? "stored" : "duplicate", running: true };
      }
      if (this.isIntakeAway) throw new BobbinError("store_unavailable", "connection refused");
      if (this.inbounds.some(({ id }) => id === inbound.id)) return { kind: "duplicate" };
      this.inbounds.push(inbound);
      return { kind: "stored", running: true };
    },
  };

  /** As one statement: nothing of it is there when it fails. */
  readonly #arrivals: WebInbox = {
    put: async (message, inbound) => {
      if (this.isIntakeAway) throw new BobbinError("store_unavailable", "connection refused");
      if ((await this.messages.get(message.session, message.id)) !== undefined) return undefined;
      const row = await this.messages.insert({ ...message, from: "person" });
      this.inbounds.push({ ...inbound, at: row.at });
      return { row, stored: { kind: "stored", seq: this.inbounds.length, running: true } };
    },
  };

  app(options: WebChatOptions = {}, changed: Partial<WebChatDeps> = {}) {
    const transcripts: Transcripts = {
      status: async (session) => this.status.get(session),
      entries: (session) => this.transcript.entries(session),
      inbounds: (session) => this.transcript.inbounds(session),
      runs: (session) => this.transcript.runs(session),
      recent: async () => [],
      settings: async () => undefined,
      usage: async () => ({ models: [], last: [] }),
      newestRun: async () => undefined,
      run: async () => undefined,
      runOf: async () => undefined,
    };
    return createWebChat(
      {
        intake: this.#intake,
        commands: createCommands({
          branching: noBranching,
          access: accessWith(),
          intake: this.#intake,
          transcripts,
          models: { usual: scriptedRecord, listed: [{ ...scriptedRecord, name: "deep-2" }] },
          goals: goalCommands(),
          door: shutDoor,
          feedback: memoryFeedback(),
          clock: this.#clock,
          log: silent,
        }),
        messages: this.messages,
        arrivals: this.#arrivals,
        live: this.#live,
        clock: this.#clock,
        newId: createNewId(this.#clock),
        log: silent,
        pictures: { read: async (_session, hash) => this.pictures.get(hash) },
        info: { botName: "Bobbin", version: "0.1.0", demo: false },
        ...changed,
      },
      { beatMs: 200, ...options },
    );
  }

  /** Opens the chat on a port; a second call, after `stop`, on the same one. */
  async start(changed: Partial<WebChatDeps> = {}): Promise<string> {
    const port = this.#server?.port ?? 0;
    this.#server = await listen(
      { apps: [{ path: "/", app: this.app({}, changed) }], checks: [], clock: this.#clock, log: silent },
      { host: "127.0.0.1", port, closeMs: 500 },
    );
    return this.#server.url;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** The place where the bot answers, as a worker in any process has it. */
  surface(session: SessionId): Surface {
    return createWebSurface(
      { messages: this.messages, live: this.#live, clock: this.#clock, log: silent },
      session,
    );
  }

  /** Posts or edits, as the reply does. */
  async says(session: SessionId, key: string, page: Partial<PageContent>): Promise<void> {
    const whole = { markdown: "", buttons: [], ...page };
    const posted = await this.surface(session).find(key);
    const written =
      posted === undefined
        ? await this.surface(session).post(key, whole)
        : await this.surface(session).edit(posted, whole);
    if (written.kind !== "ok") throw new Error(`the bot could not write: ${written.kind}`);
  }

  /** Waits for a person's message with this text. */
  async heard(text: string): Promise<MessageInbound> {
    const said = (inbound: Inbound): inbound is MessageInbound =>
      inbound.kind === "message" && inbound.parts.some((part) => part.kind === "text" && part.text === text);
    return until(() => this.inbounds.find(said), { what: `the bot hears "${text}"` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
