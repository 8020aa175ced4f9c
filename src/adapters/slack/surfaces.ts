/** All threads of one install as places to post, with the status that they share. */

import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { Surface, Voice } from "../../core/ports/surface.ts";
import type { SessionId } from "../../core/thread.ts";
import type { SlackApi } from "./api.ts";
import { withSlackFiles, type SlackFiles } from "./file-surface.ts";
import { LetBe } from "./let-be.ts";
import { SlackStatus } from "./status.ts";
import { isDirect, withStreams, type SlackStreams } from "./stream-surface.ts";
import { createSlackSurface, type SlackSurfaceOptions } from "./surface.ts";

export interface SlackSurfaces {
  /** The session has to be one of Slack's. */
  of(session: SessionId, voice?: Voice): Surface;
  /** For whoever ends work that no reply is written for. */
  readonly status: SlackStatus;
  /** Resolves when no call for a status is under way any more. */
  stop(): Promise<void>;
}

export function createSlackSurfaces(
  deps: { readonly api: SlackApi; readonly pacer: Pacer; readonly clock: Clock; readonly log: Log },
  options: SlackSurfaceOptions & {
    /** So many messages one answer may fill before all of it comes as a file. Default: no file. */
    readonly replyPages?: number;
    /** Whether replies in direct messages are streamed where Slack lets them. Default true. */
    readonly isStreaming?: boolean;
  } = {},
): SlackSurfaces {
  const status = new SlackStatus(deps);
  const files: SlackFiles = { isRefused: false };
  const shared = {
    ...deps,
    status,
    look: { plan: new LetBe(deps.clock), context_actions: new LetBe(deps.clock) },
  };
  const streams: SlackStreams = { letBe: new LetBe(deps.clock, options.isStreaming === false), live: 0 };
  return {
    of(session, voice = "reply") {
      const plain = createSlackSurface(shared, session, { ...options, voice });
      // A card and a notice are there at once, and nothing grows.
      const isStreamed = voice === "reply" && isDirect(session);
      const surface = isStreamed ? withStreams(plain, { ...shared, streams }, session) : plain;
      const mostPages = options.replyPages ?? Infinity;
      return withSlackFiles(surface, { ...deps, files }, session, { mostPages, voice });
    },
    status,
    stop: () => status.stop(),
  };
}
