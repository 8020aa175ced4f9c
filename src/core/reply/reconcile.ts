/** Compares the pages that are wanted with those that stand on the platform. Pure; the latest wins. */

import type { PageContent } from "../ports/surface.ts";

/** What is known of a page of this reply. */
export interface PostedPage {
  readonly index: number;
  /** The key of its (next) post. */
  readonly key: string;
  /** Absent when it was never posted, or a post was begun and its outcome is not known. */
  readonly message?: string;
  /** What was last written; absent when that is not known. */
  readonly content?: PageContent;
}

export type Operation =
  | { readonly kind: "post"; readonly index: number; readonly content: PageContent }
  | { readonly kind: "edit"; readonly index: number; readonly message: string; readonly content: PageContent }
  /** `message` is absent where a post was begun: it has to be looked for first. */
  | { readonly kind: "remove"; readonly index: number; readonly message?: string };

/**
 * What makes the platform show `wanted`, in the order to do it. Unchanged pages are not in it. Posts come in reading order:
 * below a page that has to be posted (anew), pages that stand there already are removed first and posted again. Pages of which
 * it is not known what they show come last, since mostly they are right: a worker that dies amid forty of them, and its successors,
 * must not leave the one out that is missing.
 */
export function reconcile(
  wanted: readonly PageContent[],
  posted: readonly PostedPage[],
): readonly Operation[] {
  const standing = new Map(posted.map((page) => [page.index, page]));
  const firstMissing = wanted.findIndex((_, index) => standing.get(index)?.message === undefined);
  const keep = firstMissing === -1 ? wanted.length : firstMissing;
  const removals: Operation[] = [];
  for (const { index, message } of posted.toSorted((a, b) => b.index - a.index)) {
    // A post that was begun at the first place that is missing one may have landed: it is the post that comes next.
    if (index < keep || (index === keep && keep < wanted.length && message === undefined)) continue;
    removals.push(message === undefined ? { kind: "remove", index } : { kind: "remove", index, message });
  }
  const writes: Operation[] = [];
  for (const [index, content] of wanted.entries()) {
    const message = index < keep ? standing.get(index)?.message : undefined;
    if (message === undefined) writes.push({ kind: "post", index, content });
    else if (!isSamePage(standing.get(index)?.content, content))
      writes.push({ kind: "edit", index, message, content });
  }
  const posts = writes.filter((write) => write.kind === "post");
  const edits = writes.filter((write) => write.kind === "edit");
  // Whether a file is the right one costs no write, and one that is not makes room before the same is posted again.
  const isSoon = ({ index, content }: (typeof edits)[number]): boolean =>
    standing.get(index)?.content !== undefined || content.file !== undefined;
  const stale = edits.filter(isSoon);
  const unknown = edits.filter((edit) => !isSoon(edit));
  return [...stale, ...removals, ...posts, ...unknown];
}

export function isSamePage(a: PageContent | undefined, b: PageContent): boolean {
  return (
    a !== undefined &&
    a.markdown === b.markdown &&
    a.status === b.status &&
    a.footer === b.footer &&
    (a.steps?.length ?? 0) === (b.steps?.length ?? 0) &&
    (a.steps ?? []).every(({ line, state }, index) => {
      const other = b.steps?.[index];
      return line === other?.line && state === other.state;
    }) &&
    a.isTrouble === b.isTrouble &&
    a.file?.name === b.file?.name &&
    a.file?.text === b.file?.text &&
    a.file?.picture?.hash === b.file?.picture?.hash &&
    a.isCard === b.isCard &&
    a.buttons.length === b.buttons.length &&
    a.buttons.every((button, index) => {
      const other = b.buttons[index];
      return button.action === other?.action && button.label === other.label && button.value === other.value;
    })
  );
}
