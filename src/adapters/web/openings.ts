/** A new thread of the web chat: its root is the key, so opening it twice is opening it once. */

import type { Openings } from "../../core/ports/openings.ts";
import { threadOf, sessionIdOf } from "../../core/thread.ts";
import { tellOfRow, tellOfThreads } from "./changes.ts";
import { threadPath } from "./pages/thread-list.ts";
import { laterOrRefused, type WebSurfaceDeps, type WebSurfaceOptions } from "./surface.ts";

export function createWebOpenings(
  deps: WebSurfaceDeps,
  { botName = "Bobbin" }: Pick<WebSurfaceOptions, "botName"> = {},
): Openings {
  return {
    refusal: () => undefined,
    async open(beside, { key, name, page }) {
      const session = sessionIdOf({ ...threadOf(beside), root: key });
      try {
        const row = await deps.messages.insert(
          { session, id: key, from: "bot", speaker: botName, page },
          name,
        );
        await Promise.all([tellOfRow(deps, row), tellOfThreads(deps)]);
        return { kind: "opened", session };
      } catch (error) {
        const refused = laterOrRefused(error);
        return refused.kind === "later" ? refused : { kind: "never", why: "The web chat did not take it." };
      }
    },
    addressOf: (session) => Promise.resolve(threadPath(session)),
  };
}
