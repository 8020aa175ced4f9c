/** Bobbin's own connection to Discord's gateway, which keeps whatever comes, for questions about what Discord sends. Costs one identify. */

import type { DiscordApi } from "../../src/adapters/discord/api.ts";
import { DiscordGateway } from "../../src/adapters/discord/gateway.ts";
import { IdentifyPace } from "../../src/adapters/discord/identify-pace.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { Log } from "../../src/core/ports/log.ts";
import { fieldsOf, type Fields } from "./place.ts";

export interface Dispatch {
  /** `MESSAGE_CREATE`. */
  readonly type: string;
  readonly data: Fields;
}

export interface SmokeGateway {
  /** Everything that came so far, oldest first. */
  readonly heard: readonly Dispatch[];
  /** The first that fits and came after `from` of them, waited for; nothing where none came within the time. */
  next(fits: (dispatch: Dispatch) => boolean, withinMs: number, from?: number): Promise<Dispatch | undefined>;
  close(): Promise<void>;
}

/** @throws BobbinError when Discord does not let it in. */
export async function openGateway(
  deps: { readonly api: DiscordApi; readonly log: Log },
  options: { readonly token: string; readonly mayReadContent: boolean },
): Promise<SmokeGateway> {
  const clock = createSystemClock();
  const heard: Dispatch[] = [];
  let more = Promise.withResolvers<void>();
  const pace = new IdentifyPace({ ...deps, entering: () => Promise.resolve(), clock }, { restarts: 0 });
  const gateway = new DiscordGateway(
    {
      ...deps,
      clock,
      pace,
      heard({ t: type, d }) {
        heard.push({ type, data: fieldsOf(d) });
        more.resolve();
        more = Promise.withResolvers();
      },
    },
    options,
  );
  await gateway.start();
  return {
    heard,
    async next(fits, withinMs, from = heard.length) {
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, withinMs);
      let isOver = false;
      const end = over.promise.then(() => (isOver = true));
      try {
        for (;;) {
          const fitting = heard.slice(from).find(fits);
          if (fitting !== undefined || isOver) return fitting;
          await Promise.race([more.promise, end]);
        }
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => gateway.stop(),
  };
}
