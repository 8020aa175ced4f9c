/**
 * The pages of one reply as they stand on the platform, with their rows. Does one operation at a time and says what came of
 * it; when to do which is the writer's. A row is written before its post, and with the message's id after it, so that
 * whoever comes next finds a post whose response was lost by its key and never posts it twice.
 */

import { isPlatformRefused, isStaleFence } from "../errors.ts";
import type { Log } from "../ports/log.ts";
import type { Pages } from "../ports/pages.ts";
import type { Fence } from "../ports/run-store.ts";
import type { Urgency } from "../ports/pacer.ts";
import type { RunInfo } from "../run.ts";
import { BARRED, type PageContent, type Surface, type Written } from "../ports/surface.ts";
import type { Operation, PostedPage } from "./reconcile.ts";

export interface PostedPagesDeps {
  readonly surface: Surface;
  readonly pages: Pages;
  readonly log: Log;
  /** Monotonic, ms. */
  ticks(): number;
}

export interface PostedPagesOptions {
  readonly run: RunInfo;
  readonly fence: Fence;
  /** There can be no rows. */
  readonly isNew: boolean;
  /** Whether a write may start now. */
  isLive(): boolean;
  /** What files of the reply are called: one that is not wanted any more may have landed. */
  fileNames(): readonly string[];
  /** Ticks until which a write of the attempt before may still land. Default: none can. */
  readonly lateUntil?: number;
}

export type Step =
  | { readonly kind: "done" }
  | { readonly kind: "later"; readonly afterMs: number; readonly isTurn?: true; readonly isBarred?: true }
  /** Not known whether it landed: the same again, after a pause. */
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "too_long" }
  | { readonly kind: "refused"; readonly why: string }
  /** It counts as never posted now: somebody deleted the page, or (`isOurs`) it was taken away to make room for another. */
  | { readonly kind: "page_gone"; readonly isOurs?: true }
  | { readonly kind: "thread_gone" }
  /** Another attempt has taken over, or the lease has run out. */
  | { readonly kind: "lost" };

interface Slot {
  readonly key: string;
  readonly message?: string;
  readonly content?: PageContent;
  /** A post with this key was begun and may have landed. */
  readonly mayHaveLanded: boolean;
  /** Whether the row says what this says. */
  readonly isSaved: boolean;
  /** Another attempt wrote it first. */
  readonly isAdopted: boolean;
  /** Not wanted, and not there: but the post of the attempt before may still land. It is looked for again when none can. */
  readonly isAwaited?: boolean;
  /** Ticks of the last write that landed. */
  readonly writtenAt: number;
}

export interface PostedPages {
  /** Reads the rows once; after it failed it may be called again. Rejects when the store does. */
  load(): Promise<void>;
  list(): readonly PostedPage[];
  /** Rejects when the store cannot be reached; a stale fence is `lost`. */
  perform(operation: Operation, urgency: Urgency): Promise<Step>;
  /** Brings the rows up to date where that failed before. */
  save(): Promise<Step>;
  /** Whether a write of another attempt that landed before `ticks` may have replaced what this one wrote, or made a page of its own. */
  isDoubtful(ticks: number): boolean;
  /** Forgets what stands on those pages, so that they are written again, or looked for once more. */
  doubt(ticks: number): void;
}

const DONE: Step = { kind: "done" };
const LOST: Step = { kind: "lost" };

export function createPostedPages(deps: PostedPagesDeps, options: PostedPagesOptions): PostedPages {
  const { surface, pages } = deps;
  const { run, fence } = options;
  const { lateUntil = -Infinity } = options;
  const mayBegin = (): boolean => options.isLive();
  const slots = new Map<number, Slot>();
  let isLoaded = options.isNew;
  let keys = 0;
  /** Of a look-up that takes several searches and was broken off: those that found nothing, by the key of the slot. */
  const nowhere = new Map<string, Set<string>>();

  /** New for every page that is begun: a platform may answer a key it knows with a message that was deleted. */
  function newSlot(): Slot {
    const key = `${run.id}-${fence.number}-${keys++}`;
    return { key, mayHaveLanded: false, isSaved: false, isAdopted: false, writtenAt: deps.ticks() };
  }

  async function put(index: number, slot: Slot): Promise<void> {
    slots.set(index, { ...slot, isSaved: false, isAwaited: false });
    const { key, message } = slot;
    await pages.put(fence, { run: run.id, index, key, ...(message === undefined ? {} : { message }) });
    slots.set(index, { ...slot, isSaved: true, isAwaited: false });
  }

  /** The message of a post that was begun; `undefined` when it did not land, a step when that cannot be known now. */
  async function lookFor(index: number, slot: Slot, page?: PageContent): Promise<string | undefined | Step> {
    if (!slot.mayHaveLanded) return undefined;
    const below = slots.get(index - 1)?.message;
    const known = { since: run.startedAt, ...(below === undefined ? {} : { below }) };
    // By the name of its file also another page of the reply is found.
    const isAnothers = (found: string): boolean =>
      [...slots].some(([at, { message }]) => at !== index && message === found);
    const searches = page === undefined ? [{}, ...options.fileNames().map((file) => ({ file }))] : [{ page }];
    const done = nowhere.get(slot.key) ?? new Set<string>();
    try {
      for (const wanted of searches) {
        const name = JSON.stringify(wanted);
        if (done.has(name)) continue;
        // What may still land is not ruled out by a search of now.
        const isFinal = !slot.isAdopted || deps.ticks() >= lateUntil;
        const found = await surface.find(slot.key, { ...known, ...wanted });
        if (found !== undefined && !isAnothers(found)) return found;
        if (isFinal && page === undefined) nowhere.set(slot.key, done.add(name));
      }
      nowhere.delete(slot.key);
      return undefined;
    } catch (error) {
      if (isPlatformRefused(error)) return BARRED;
      return { kind: "unknown", why: reasonOf(error) };
    }
  }

  async function post(index: number, content: PageContent, urgency: Urgency): Promise<Step> {
    const slot = { ...(slots.get(index) ?? newSlot()), isAwaited: false };
    if (!slot.isSaved) await put(index, slot);
    const found = await lookFor(index, slot, content);
    if (typeof found === "object") return found;
    if (found !== undefined) {
      await put(index, { ...slot, message: found, mayHaveLanded: false, writtenAt: deps.ticks() });
      return DONE;
    }
    if (!options.isLive()) return LOST;
    slots.set(index, { ...slot, mayHaveLanded: true, isSaved: true });
    const written = await attempt(() => surface.post(slot.key, content, mayBegin, urgency));
    if (written.kind === "ok") {
      // Where an earlier try may have landed, the platform may have answered with that one's message and content.
      const known = slot.mayHaveLanded ? {} : { content };
      const posted = { ...slot, ...known, message: written.message, mayHaveLanded: false };
      await put(index, { ...posted, writtenAt: deps.ticks() });
      return DONE;
    }
    if (written.kind !== "unknown") slots.set(index, { ...slot, isSaved: true });
    return stepOf(index, written);
  }

  async function edit(
    { index, message, content }: Extract<Operation, { readonly kind: "edit" }>,
    urgency: Urgency,
  ): Promise<Step> {
    if (!options.isLive()) return LOST;
    const written = await attempt(() => surface.edit(message, content, mayBegin, urgency));
    const slot = slots.get(index);
    if (slot === undefined) return DONE;
    if (written.kind === "ok") {
      slots.set(index, { ...slot, content, writtenAt: deps.ticks() });
      return DONE;
    }
    if (written.kind === "unknown") {
      const { content: _, ...rest } = slot;
      slots.set(index, rest);
    }
    return stepOf(index, written);
  }

  async function remove(index: number, urgency: Urgency): Promise<Step> {
    const slot = slots.get(index);
    if (slot === undefined) return DONE;
    const message = slot.message ?? (await lookFor(index, slot));
    if (typeof message === "object") return message;
    if (message === undefined && slot.mayHaveLanded && slot.isAdopted && deps.ticks() < lateUntil) {
      slots.set(index, { ...slot, isAwaited: true });
      return DONE;
    }
    if (message !== undefined) {
      if (!options.isLive()) return LOST;
      const written = await attempt(() => surface.remove(message, mayBegin, urgency));
      const isThere = written.kind === "later" || written.kind === "unknown";
      if (isThere || (written.kind === "gone" && written.what === "thread")) return stepOf(index, written);
      if (written.kind === "refused")
        deps.log.warn("a page that is not needed cannot be removed", { ...written });
    }
    await pages.remove(fence, index);
    slots.delete(index);
    return DONE;
  }

  function stepOf(index: number, written: Exclude<Written, { readonly kind: "ok" }>): Step {
    if (written.kind !== "gone") return written;
    if (written.what === "thread") return { kind: "thread_gone" };
    slots.set(index, newSlot());
    return written.what === "frozen" ? { kind: "page_gone", isOurs: true } : { kind: "page_gone" };
  }

  async function save(): Promise<Step> {
    for (const [index, slot] of slots)
      if (!slot.isSaved && slot.message !== undefined) await put(index, slot);
    return DONE;
  }

  async function fenced(work: () => Promise<Step>): Promise<Step> {
    if (!options.isLive()) return LOST;
    try {
      return await work();
    } catch (error) {
      if (isStaleFence(error)) return LOST;
      throw error;
    }
  }

  return {
    async load() {
      if (isLoaded) return;
      for (const { index, key, message } of await pages.list(run.id)) {
        const known = message === undefined ? {} : { message };
        slots.set(index, {
          key,
          ...known,
          mayHaveLanded: message === undefined,
          isSaved: true,
          isAdopted: true,
          writtenAt: deps.ticks(),
        });
      }
      isLoaded = true;
    },
    list: () =>
      [...slots].flatMap(([index, { key, message, content, isAwaited }]) =>
        isAwaited === true
          ? []
          : [
              {
                index,
                key,
                ...(message === undefined ? {} : { message }),
                ...(content === undefined ? {} : { content }),
              },
            ],
      ),
    perform: (operation, urgency) =>
      fenced(async () => {
        await save();
        switch (operation.kind) {
          case "post":
            return await post(operation.index, operation.content, urgency);
          case "edit":
            return await edit(operation, urgency);
          case "remove":
            return await remove(operation.index, urgency);
          default:
            return operation satisfies never;
        }
      }),
    save: () => fenced(save),
    isDoubtful: (ticks) =>
      [...slots.values()].some((slot) => slot.isAwaited === true || isStale(slot, ticks)),
    doubt(ticks) {
      for (const [index, slot] of slots) {
        if (slot.isAwaited === true) slots.set(index, { ...slot, isAwaited: false });
        if (!isStale(slot, ticks)) continue;
        const { content: _, ...rest } = slot;
        slots.set(index, rest);
      }
    },
  };
}

function isStale(slot: Slot, ticks: number): boolean {
  return slot.isAdopted && slot.content !== undefined && slot.writtenAt < ticks;
}

/** A surface does not throw; one that does all the same has left us not knowing. */
async function attempt(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    return { kind: "unknown", why: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
