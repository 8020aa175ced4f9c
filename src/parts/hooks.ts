/** The addresses at which others wake a goal: there from the beginning, and answered as soon as the parts behind them are. */

import type { Mounted } from "../adapters/http/listen.ts";
import { createWakeHook, type WakeHook, type WakeHookDeps } from "../adapters/http/wake-hook.ts";

export interface Hooks {
  readonly mounted: Mounted;
  open(deps: WakeHookDeps): void;
}

export function createHooks(): Hooks {
  let hook: WakeHook | undefined;
  return {
    open(deps) {
      hook = createWakeHook(deps);
    },
    mounted: {
      path: "/hooks",
      app: {
        fetch: async (request, env) =>
          hook === undefined
            ? new Response("Bobbin is starting.\n", { status: 503, headers: { "Retry-After": "2" } })
            : hook(request, addressIn(env)),
      },
    },
  };
}

/** Of the other end of the connection: behind a proxy all come from that one. */
function addressIn({ incoming }: Readonly<Record<string, unknown>>): string {
  const { socket } = (incoming ?? {}) as { readonly socket?: { readonly remoteAddress?: string } };
  return socket?.remoteAddress ?? "";
}
