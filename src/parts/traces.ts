/** OpenTelemetry's traces: where OpenTelemetry's own settings name a collector; else nothing of it is loaded. */

import type { Observed } from "../adapters/traces/observed.ts";
import { headersIn } from "../adapters/settings/otlp-headers.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { withTimeLimit } from "../core/pause.ts";
import type { Clock } from "../core/ports/clock.ts";

/** A collector that says nothing does not hold up an end of the process, ms. */
const LAST_MS = 3_000;

export interface Traces extends Observed {
  /** Sends what is left. Rejects where that takes too long. */
  stop(): Promise<void>;
}

export async function openTraces(
  { clock }: { readonly clock: Clock },
  settings: Pick<
    Settings,
    "otlpEndpoint" | "otlpTracesEndpoint" | "otlpHeaders" | "tracesShare" | "otelDisabled"
  >,
  about: { readonly role: string; readonly version: string },
): Promise<Traces> {
  const { otlpEndpoint, otlpTracesEndpoint, otlpHeaders, tracesShare: share, otelDisabled } = settings;
  const url = otlpTracesEndpoint ?? (otlpEndpoint && `${otlpEndpoint.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || otelDisabled === "true")
    return {
      intake: (intake) => intake,
      queue: (queue) => queue,
      store: (store) => store,
      surface: (surface) => surface,
      stop: () => Promise.resolve(),
    };
  const { createSpans } = await import("../adapters/traces/spans.ts");
  const { createObserved } = await import("../adapters/traces/observed.ts");
  const spans = createSpans({ ...about, share, url, headers: headersIn(otlpHeaders ?? "") });
  return {
    ...createObserved(spans, clock),
    stop: () => withTimeLimit(clock, LAST_MS, "the last traces", spans.stop()),
  };
}
