/** A connection in socket mode that acknowledges whatever comes and keeps it, for questions about what Slack sends. */

import { once } from "node:events";
import type { SlackApi } from "../../src/adapters/slack/api.ts";
import { fieldsOf, textOf, type Payload } from "../../src/adapters/slack/payload.ts";

export interface Delivery {
  /** `events_api`, `interactive` or `slash_commands`. */
  readonly type: string;
  readonly payload: Payload;
}

export interface SmokeSocket {
  /** Everything that came so far, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** The next one that fits and did not come before, or nothing within the time. */
  next(fits: (delivery: Delivery) => boolean, withinMs: number): Promise<Delivery | undefined>;
  close(): void;
}

/** @throws Error when Slack does not let it connect. */
export async function openSocket(appApi: SlackApi): Promise<SmokeSocket> {
  const answer = await appApi.call("apps.connections.open", {});
  const url = answer.kind === "ok" ? textOf(answer.data["url"]) : undefined;
  if (url === undefined)
    throw new Error(`Slack takes no connection (${answer.kind === "refused" ? answer.code : answer.kind})`);
  const socket = new WebSocket(url);
  const deliveries: Delivery[] = [];
  let heard = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
    const envelope = fieldsOf(JSON.parse(String(data)));
    const id = textOf(envelope["envelope_id"]);
    if (id === undefined) return;
    socket.send(JSON.stringify({ envelope_id: id }));
    deliveries.push({ type: textOf(envelope["type"]) ?? "", payload: fieldsOf(envelope["payload"]) });
    heard.resolve();
    heard = Promise.withResolvers<void>();
  });
  await once(socket, "open", { signal: AbortSignal.timeout(15_000) });
  return {
    deliveries,
    async next(fits, withinMs) {
      const from = deliveries.length;
      const end = AbortSignal.timeout(withinMs);
      const over = once(end, "abort");
      for (;;) {
        const fitting = deliveries.slice(from).find(fits);
        if (fitting !== undefined || end.aborted) return fitting;
        await Promise.race([heard.promise, over]);
      }
    },
    close: () => socket.close(),
  };
}

/** The inner event of a delivery of that type, if it is one. */
export function eventIn(delivery: Delivery | undefined, type: string): Payload | undefined {
  const event = fieldsOf(delivery?.payload["event"]);
  return event["type"] === type ? event : undefined;
}
