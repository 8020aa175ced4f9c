// A platform as a chaos run uses it: people who write and press, things that go wrong on the way, and what stands there in the
// end. Another platform is another one of these.
import type { ShownThread } from "./checker/record.ts";
import type { Random } from "./random.ts";

export interface Thread {
  /** The session's id, as the product makes it. */
  readonly session: string;
  /** The platform's id of the message that it begins with. */
  readonly root: string;
}

export interface Sent {
  /** The platform's id of the message. */
  readonly message: string;
  /** To the bot by name, or to it alone. */
  readonly isAddressed: boolean;
  /** In a thread of which the bot is known to have heard before. */
  readonly isHeard: boolean;
  /** Whether the product has taken it in, known once no delivery of it is under way. Never rejects. */
  readonly taken: Promise<boolean>;
}

/** What the product has to take in sooner or later, though it acknowledges nothing. */
export interface Owed {
  readonly session: string;
  readonly message: string;
}

export interface ChaosPlace {
  /** Somebody begins a thread with these words, for the bot. */
  begin(words: string): { readonly thread: Thread; readonly sent: Sent };
  say(thread: Thread, words: string): Sent;
  edit(thread: Thread, message: string, words: string): Promise<boolean>;
  /** The root too: then the thread is gone. */
  remove(thread: Thread, message: string): Promise<boolean>;
  /** By words, or by whatever else the platform has for it. Undefined where it has nothing just now. */
  command(
    thread: Thread,
    name: "stop" | "reset" | "retry",
    how: "words" | "button" | "platform",
  ): Promise<boolean> | undefined;
  /** Gives the thread's goal this order (`pause`, or a text), as whoever began the thread. Undefined where that cannot be said just now. */
  goal(thread: Thread, order: string): Promise<boolean> | undefined;
  /** Somebody begins a thread with a goal. Undefined where none can begin so. */
  beginGoal(objective: string): { readonly thread: Thread; readonly taken: Promise<boolean> } | undefined;
  /** The next calls of the product go wrong. */
  breakCall(kind: CallFault, random: Random): void;
  /** The next deliveries to the product go wrong. */
  breakDelivery(kind: DeliveryFault, random: Random): void;
  /** From now on nothing more goes wrong. */
  calmDown(): void;
  /** Whether everything that was to be delivered was, or was given up. */
  isDelivered(): boolean;
  owed(): readonly Owed[];
  shown(): readonly ShownThread[];
  strays(): readonly string[];
  complaints(): readonly string[];
}

export const CALL_FAULTS = [
  "rate limited",
  "server error",
  "lost response",
  "unreachable",
  "late answer",
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

export const DELIVERY_FAULTS = ["lost", "unacknowledged", "repeated", "held"] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];
