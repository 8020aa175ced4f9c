// What every Surface keeps; see src/core/ports/surface.ts. What a person sees is compared by words, since each platform
// has its own markup.
import { expect } from "vitest";
import type { PageContent, Surface, Written } from "../../src/core/ports/surface.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export interface SurfaceSubject {
  /** Bound to a thread that is empty but for what people wrote. */
  readonly surface: Surface;
  /** The text of the bot's messages as a person sees them now, in order. */
  shown(): Promise<readonly string[]>;
  /** A person deletes the message. */
  deleteByPerson(message: string): Promise<void>;
}

const page = (markdown: string): PageContent => ({ markdown, buttons: [] });

export const surfaceCases: readonly ContractCase<SurfaceSubject>[] = [
  {
    title: "posts are shown in their order",
    async run({ surface, shown }) {
      for (const word of ["one", "two", "three"]) idOf(await surface.post(`key-${word}`, page(word)));
      expect(await wordsOf(shown)).toEqual(["one", "two", "three"]);
    },
  },
  {
    title: "an edit replaces the text and the last text wins",
    async run({ surface, shown }) {
      const message = idOf(await surface.post("key", page("draft one")));
      idOf(await surface.edit(message, page("draft two")));
      idOf(await surface.edit(message, page("final")));
      expect(await wordsOf(shown)).toEqual(["final"]);
    },
  },
  {
    title: "a page may have a status and buttons, with text and without, and loses them when it settles",
    async run({ surface, shown }) {
      const stop = { action: "stop", label: "Stop", value: "run1" } as const;
      const message = idOf(await surface.post("key", { markdown: "", status: "Thinking", buttons: [stop] }));
      idOf(await surface.edit(message, { markdown: "half", status: "Writing", buttons: [stop] }));
      idOf(await surface.edit(message, { markdown: "whole", footer: "12 s", buttons: [] }));
      const [text] = await wordsOf(shown);
      expect(text).toContain("whole");
      expect(text).not.toMatch(/Thinking|Writing|half/);
    },
  },
  {
    title: "a removed message is not shown, and removing it again says that it is gone",
    async run({ surface, shown }) {
      const message = idOf(await surface.post("key", page("not needed")));
      idOf(await surface.post("other", page("stays")));
      idOf(await surface.remove(message));
      expect(await wordsOf(shown)).toEqual(["stays"]);
      expect(await surface.remove(message)).toEqual({ kind: "gone", what: "message" });
    },
  },
  {
    title: "an edit of a message that a person deleted says that it is gone, and brings nothing back",
    async run({ surface, shown, deleteByPerson }) {
      const message = idOf(await surface.post("key", page("deleted")));
      await deleteByPerson(message);
      expect(await surface.edit(message, page("again"))).toEqual({ kind: "gone", what: "message" });
      expect(await shown()).toEqual([]);
    },
  },
  {
    title: "R19: a message is found by the key of its post, also after edits, and no other is",
    async run({ surface }) {
      const one = idOf(await surface.post("key-one", page("one")));
      const two = idOf(await surface.post("key-two", page("two")));
      idOf(await surface.edit(one, page("edited")));
      expect(await surface.find("key-one")).toBe(one);
      expect(await surface.find("key-two")).toBe(two);
      expect(await surface.find("key")).toBeUndefined();
      await surface.remove(one);
      expect(await surface.find("key-one")).toBeUndefined();
    },
  },
  {
    title: "the largest page is taken whole, by post and by edit",
    async run({ surface, shown }) {
      const { pageSize, measure } = surface.limits;
      let count = 1;
      while (measure("word ".repeat(count * 2)) <= pageSize) count *= 2;
      while (measure("word ".repeat(count + 1)) <= pageSize) count++;
      const largest = "word ".repeat(count).trim();
      const message = idOf(await surface.post("key", page(largest)));
      expect((await wordsOf(shown))[0]?.split(" ").length).toBe(count);
      idOf(await surface.edit(message, page(largest.replaceAll("word", "more"))));
      expect((await wordsOf(shown))[0]?.split(" ").length).toBe(count);
    },
  },
  {
    title: "the measure grows with the text, and the limits are usable",
    async run({ surface }) {
      const { pageSize, measure, editEveryMs } = surface.limits;
      expect(pageSize).toBeGreaterThanOrEqual(500);
      expect(editEveryMs).toBeGreaterThan(0);
      expect(measure("")).toBe(0);
      let before = 0;
      for (const piece of ["a", "b & c", " <d>", " **e**", "\n\n```ts\n", "😀"]) {
        const now = before + 1;
        expect(measure(`${"x".repeat(before)}${piece}`)).toBeGreaterThanOrEqual(now);
        before = now;
      }
    },
  },
  {
    title: "text with markup characters, emoji and other scripts is shown as it is",
    async run({ surface, shown }) {
      const text = "it's 1 & 2 👩‍👩‍👧 日本語 ümläut";
      idOf(await surface.post("key", page(text)));
      expect(await wordsOf(shown)).toEqual([text]);
    },
  },
];

/** Registers the suite over one implementation. */
export function surfaceContract(name: string, open: OpenSubject<SurfaceSubject>): void {
  runContract(`Surface: ${name}`, surfaceCases, open);
}

function idOf(written: Written): string {
  expect(written).toMatchObject({ kind: "ok" });
  return written.kind === "ok" ? written.message : "";
}

async function wordsOf(shown: SurfaceSubject["shown"]): Promise<string[]> {
  return (await shown()).map((text) => text.trim().replace(/\s+/g, " "));
}
