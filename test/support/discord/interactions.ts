// Clicks and slash commands: what the bot is asked, whether it answers in time, and what the person who asked sees of that.
import type { Complaints } from "./complaints.ts";
import type { JsonObject } from "./model.ts";

/** How long the first answer may take, and how long the token is good after that, ms. */
const FIRST_MS = 3_000;
const TOKEN_MS = 15 * 60_000;

export interface Whisper {
  readonly id: string;
  content: string;
  components: readonly JsonObject[];
  /** The words of the cards below it. */
  cards: readonly string[];
  isDeleted: boolean;
  /** Shown as "the bot is thinking". */
  isPending: boolean;
}

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly channel: string;
  readonly person: string;
  readonly startedMs: number;
  /** Of the message whose button was clicked. */
  readonly message: string | undefined;
  /** Somebody is typing: what is suggested to them. */
  readonly isTyping: boolean;
  /** What was sent is a form: no other one can be shown as the answer. */
  readonly isForm: boolean;
  suggested: readonly JsonObject[];
  /** The form that was shown as the answer. */
  modal: JsonObject | undefined;
  state: "asked" | "answered" | "failed";
  isEphemeral: boolean;
  /** What only this person sees, in its order; the first is the original answer. */
  readonly answers: Whisper[];
  /** Resolves when it is answered for the first time, or too late. */
  readonly settled: Promise<"answered" | "failed">;
  settle(how: "answered" | "failed"): void;
}

export class Interactions {
  readonly all: Interaction[] = [];
  readonly #complaints: Complaints;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(complaints: Complaints) {
    this.#complaints = complaints;
  }

  begin(of: Pick<Interaction, "id" | "channel" | "person" | "message" | "isTyping" | "isForm">): Interaction {
    const { promise, resolve } = Promise.withResolvers<"answered" | "failed">();
    const interaction: Interaction = {
      ...of,
      token: `interaction-${of.id}-${crypto.randomUUID()}`,
      startedMs: performance.now(),
      state: "asked",
      isEphemeral: false,
      suggested: [],
      modal: undefined,
      answers: [],
      settled: promise,
      settle(how) {
        if (interaction.state === "asked") interaction.state = how;
        resolve(interaction.state === "answered" ? "answered" : "failed");
      },
    };
    this.all.push(interaction);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (interaction.state === "asked")
        this.#complaints.add("interaction", `${of.id} was not answered within 3 s`);
      interaction.settle("failed");
    }, FIRST_MS);
    this.#timers.add(timer);
    return interaction;
  }

  byToken(token: string): Interaction | undefined {
    const found = this.all.find((one) => one.token === token);
    return found !== undefined && performance.now() - found.startedMs < TOKEN_MS ? found : undefined;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
