/** The writer of a run's reply: what was shown so far, and how the place wants it. */

import type { LoopProfile } from "../agent/loop-types.ts";
import type { Entry } from "../entry.ts";
import { labelOf } from "../label.ts";
import type { ShownMask } from "../mask-shown.ts";
import { overlaid } from "../overlaid.ts";
import type { Clock } from "../ports/clock.ts";
import type { Lease } from "../ports/locker.ts";
import type { Log } from "../ports/log.ts";
import type { Pages } from "../ports/pages.ts";
import type { Opened } from "../ports/run-store.ts";
import type { Pictures } from "../ports/pictures.ts";
import type { PageContent, Surface, Voice } from "../ports/surface.ts";
import { documentOf } from "../reply/document.ts";
import { DEFAULT_RULES, viewOf, type ReplyRules, type ReplyView } from "../reply/view.ts";
import { createReplyWriter, type ReplyWriter } from "../reply/writer.ts";
import type { RunInfo } from "../run.ts";
import { isBlank } from "../text.ts";
import type { SessionId } from "../thread.ts";

/** A note may stand before what a person said first. */
const FIRST_SEQS = 3;

export interface ReplyOfRunDeps {
  readonly pages: Pages;
  readonly clock: Clock;
  readonly log: Log;
  /** The bytes of images. Absent where none are kept. */
  readonly pictures?: Pictures;
  /** As of `ReplyWriterDeps`. */
  readonly mask?: ShownMask | undefined;
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  readonly replies?: ReplyRules;
}

export interface Showing {
  readonly onThreadGone?: () => void;
  /** For people, below the answer. */
  readonly notice?: string | undefined;
  /** What answers; absent where nothing is asked any more. */
  readonly profile?: LoopProfile;
  /** Whose words tell what was done. Default those of the profile. */
  tools?(): LoopProfile["tools"];
  /** As of `ReplyWriterOptions`, where an attempt before has crashed. */
  readonly lateWritesMs?: number | undefined;
}

export function writerOfRun(
  deps: ReplyOfRunDeps,
  claimed: Exclude<Opened, { readonly kind: "nothing" }>,
  lease: Lease,
  { onThreadGone = () => {}, notice, profile, tools = () => profile?.tools ?? [], lateWritesMs = 0 }: Showing,
): ReplyWriter {
  const { run, fence, afterCrash } = claimed;
  const entries = claimed.kind === "settle" ? claimed.entries : claimed.tail;
  return createReplyWriter(
    {
      surface: withPictureBytes(deps.surfaceOf(run.session, "reply"), run.session, deps.pictures),
      pages: deps.pages,
      clock: deps.clock,
      log: deps.log,
      mask: deps.mask,
    },
    {
      run,
      fence,
      isLive: () => lease.isLive(),
      isNew: claimed.kind === "run" && !claimed.resumed,
      isHeld: claimed.kind === "run" && run.cause === "continuation" && claimed.goal !== undefined,
      document: {
        ...documentOf(run, entries),
        ...(notice === undefined ? {} : { notice }),
        ...(profile === undefined ? {} : { model: profile.model.name }),
      },
      view: {
        ...viewOf(deps.replies ?? DEFAULT_RULES, run.session, claimed.shown),
        doing: doingBy(tools),
      },
      ...titleOf(run, entries),
      lateWritesMs: afterCrash ? lateWritesMs : 0,
      onThreadGone,
    },
  );
}

/** Where a page is an image, whoever posts it can ask for its bytes. */
export function withPictureBytes(
  surface: Surface,
  session: SessionId,
  pictures: Pictures | undefined,
): Surface {
  if (pictures === undefined) return surface;
  const loaded = (page: PageContent): PageContent => {
    const hash = page.file?.picture?.hash;
    if (page.file === undefined || hash === undefined) return page;
    const bytes = async () => (await pictures.read(session, hash))?.bytes;
    return { ...page, file: { ...page.file, bytes } };
  };
  const post: Surface["post"] = (key, page, mayBegin, urgency) =>
    surface.post(key, loaded(page), mayBegin, urgency);
  return overlaid(surface, { post });
}

/** The first words that were said, where this is the thread's first run: later ones find a title there, perhaps one of a person's. */
function titleOf({ id }: RunInfo, entries: readonly Entry[]): { readonly title?: string } {
  if (entries.some(({ run }) => run !== undefined && run !== id)) return {};
  const [first] = entries.flatMap(({ seq, body }) =>
    seq <= FIRST_SEQS && body.kind === "user" ? [body] : [],
  );
  const firstText = first?.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
  return firstText === undefined || isBlank(firstText) ? {} : { title: labelOf({ firstText }) };
}

/** What was done, in the words of these tools. One that cannot say what it does does not say it: that is no reason to end a run. */
export function doingBy(tools: () => LoopProfile["tools"]): NonNullable<ReplyView["doing"]> {
  return (name, count) => {
    try {
      return tools()
        .find((tool) => tool.name === name)
        ?.doing?.(count);
    } catch {
      return undefined;
    }
  };
}
