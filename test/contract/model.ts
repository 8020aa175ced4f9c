// The contract of `Model`: for every implementation, and for those that go over a wire.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "../../src/core/ports/model.ts";
import { asks, gather, isFinal, only, shownText } from "../support/fake-llm/request.ts";
import { until } from "../support/until.ts";
import type { ContractCase } from "./contract.ts";

export interface ModelSubject {
  readonly model: Model;
  /** Is answered with a text that never ends, or goes on for long. */
  readonly endless: ModelRequest;
  /** How many answers are under way: open connections, or timers. */
  readonly underWay: () => number;
}

export interface WireSubject extends ModelSubject {
  /** The bodies that the provider received, byte for byte. */
  readonly received: () => readonly Uint8Array[];
  /** Is answered with nothing at all. */
  readonly silent: ModelRequest;
  /** Is answered with an error that asking again does not change. */
  readonly refused: ModelRequest;
}

const never = new AbortController().signal;

/** An abort is prompt when it takes less than this. Generous: a busy machine is no breach, and what waits for the provider waits on. */
const PROMPT_MS = 10_000;

export const modelContract: readonly ContractCase<ModelSubject>[] = [
  {
    title: "a reply ends with exactly one final event, and it is the last",
    async run({ model }) {
      const events = await gather(model, asks("hello"));
      expect(events.filter(isFinal)).toHaveLength(1);
      expect(events.at(-1)?.kind).toBe("done");
    },
  },
  {
    title: "the text of the final event is the text that was streamed",
    async run({ model }) {
      const events = await gather(model, asks("hello"));
      const done = only(events, "done");
      expect(done.text).not.toBe("");
      expect(shownText(events)).toBe(done.text);
    },
  },
  {
    title: "what was sent is told first, once, and is the same for the same request",
    async run({ model }) {
      const first = await gather(model, asks("hello"));
      const second = await gather(model, asks("hello"));
      const other = await gather(model, asks("good bye"));
      expect(first[0]?.kind).toBe("sent");
      expect(only(first, "sent").bodyHash).toMatch(/^[0-9a-f]{64}$/);
      expect(only(second, "sent")).toEqual(only(first, "sent"));
      expect(only(other, "sent")).not.toEqual(only(first, "sent"));
    },
  },
  {
    title: "aborted before it began, it ends as aborted and nothing else happens",
    async run({ model, endless }) {
      expect(await gather(model, endless, AbortSignal.abort())).toEqual([{ kind: "aborted" }]);
    },
  },
  {
    title: "an abort in the middle ends it promptly as aborted, with nothing behind",
    async run({ model, endless, underWay }) {
      const abort = new AbortController();
      const events: ModelEvent[] = [];
      let since = 0;
      for await (const event of model.stream(endless, abort.signal)) {
        events.push(event);
        if (event.kind === "text" && !abort.signal.aborted) {
          since = performance.now();
          abort.abort();
        }
      }
      expect(performance.now() - since).toBeLessThan(PROMPT_MS);
      expect(events.filter(isFinal)).toEqual([{ kind: "aborted" }]);
      expect(events.at(-1)?.kind).toBe("aborted");
      await until(() => underWay() === 0, { what: "nothing is under way" });
    },
  },
  {
    title: "a reader that breaks off ends the work",
    async run({ model, endless, underWay }) {
      for await (const event of model.stream(endless, never)) if (event.kind === "text") break;
      await until(() => underWay() === 0, { what: "nothing is under way" });
    },
  },
  {
    title: "a reader that leaves while it waits is let go",
    async run({ model, endless, underWay }) {
      const iterator = model.stream(endless, never)[Symbol.asyncIterator]();
      for (let next = await iterator.next(); next.value?.kind !== "text";) next = await iterator.next();
      const pending = drained(iterator);
      await iterator.return?.();
      await pending;
      await until(() => underWay() === 0, { what: "nothing is under way" });
    },
  },
  {
    title: "two streams at once do not mix, and a slow reader changes nothing",
    async run({ model }) {
      const alone = shownText(await gather(model, asks("hello")));
      const slow = (async () => {
        const events: ModelEvent[] = [];
        for await (const event of model.stream(asks("hello"), never)) {
          events.push(event);
          await new Promise<void>((resolve) => void setImmediate(resolve));
        }
        return events;
      })();
      const [a, b] = await Promise.all([gather(model, asks("good bye")), slow]);
      expect(shownText(a)).not.toBe(alone);
      expect(shownText(b)).toBe(alone);
    },
  },
  {
    title: "a history with calls and their results is answered with text",
    async run({ model }) {
      const request = asks("find the moon", {
        messages: [
          { role: "user", content: [{ kind: "text", text: "find the moon" }] },
          { role: "assistant", text: "", calls: [{ id: "c1", name: "search", arguments: '{"q":"moon"}' }] },
          { role: "tool", call: "c1", name: "search", content: "it is up there" },
        ],
      });
      const done = only(await gather(model, request), "done");
      expect(done.calls).toEqual([]);
      expect(done.text).toContain("it is up there");
    },
  },
];

export const wireContract: readonly ContractCase<WireSubject>[] = [
  {
    title: "the hash is that of the bytes that the provider received",
    async run({ model, received }) {
      const events = await gather(model, asks("naïve 🙂"));
      const body = received().at(-1) ?? new Uint8Array();
      expect(only(events, "sent").bodyHash).toBe(createHash("sha256").update(body).digest("hex"));
    },
  },
  {
    title: "a refusal is a final event and no exception",
    async run({ model, refused }) {
      const events = await gather(model, refused);
      expect(events.filter(isFinal)).toHaveLength(1);
      expect(only(events, "failed").error.retryable).toBe(false);
    },
  },
  {
    title: "an abort while the provider is silent is prompt",
    async run({ model, silent, underWay }) {
      const abort = new AbortController();
      const events = gather(model, silent, abort.signal);
      await until(() => underWay() === 1, { what: "the provider has the request" });
      const since = performance.now();
      abort.abort();
      expect((await events).at(-1)).toEqual({ kind: "aborted" });
      expect(performance.now() - since).toBeLessThan(PROMPT_MS);
      await until(() => underWay() === 0, { what: "nothing is under way" });
    },
  },
];

async function drained(iterator: AsyncIterator<ModelEvent>): Promise<void> {
  for (let next = await iterator.next(); next.done !== true;) next = await iterator.next();
}
