/**
 * Spans, as OpenTelemetry has them, sent over OTLP/HTTP as its own variables say. Ids follow from what a span is of, so that what one
 * process begins and another ends is one trace, with nothing stored for it.
 */

import { createHash, randomBytes } from "node:crypto";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from "@opentelemetry/sdk-trace";

/** Where a span stands. */
export interface Place {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span {
  readonly name: string;
  readonly place: Place;
  /** Of the same trace; absent for the first of a trace. */
  readonly parent?: Place;
  /** Others that led to it. */
  readonly links?: readonly Place[];
  readonly kind?: "consumer" | "producer" | "client";
  /** ms since 1970. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  /** What went wrong, as a code and never as text. */
  readonly error?: string | undefined;
}

export interface Spans {
  /** The same in every process. */
  placeOf(what: "inbound" | "run", id: string): Place;
  /** A new one in the same trace. */
  within(place: Place): Place;
  emit(span: Span): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export interface SpansOptions {
  readonly role: string;
  readonly version: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How many of all traces are sent, from 0 to 1; of one trace all spans are, or none. */
  readonly share: number;
}

const KINDS = {
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  client: SpanKind.CLIENT,
} as const;

export function createSpans({ role, version, url, headers, share }: SpansOptions): Spans {
  let next: Place = { traceId: "", spanId: "" };
  const provider = new TracerProvider({
    // What the environment says counts more.
    resource: defaultResource()
      .merge(
        resourceFromAttributes({ "service.name": "bobbin", "service.version": version, "bobbin.role": role }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    // By the id of the trace alone, so that every process decides the same.
    sampler: new TraceIdRatioBasedSampler(share),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, headers: { ...headers } }),
        exportTimeoutMillis: 10_000,
      }),
    ],
  });
  const tracer = provider.getTracer("bobbin", version);

  return {
    placeOf(what, id) {
      const hash = createHash("sha256").update(`${what} ${id}`).digest("hex");
      return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
    },
    within: ({ traceId }) => ({ traceId, spanId: randomBytes(8).toString("hex") }),
    emit({ name, place, parent, links = [], kind, from, to, attributes, error }) {
      const known = { traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const context =
        parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, ...known });
      next = place;
      const span = tracer.startSpan(
        name,
        {
          startTime: from,
          attributes: error === undefined ? attributes : { ...attributes, "error.type": error },
          links: links.map((each) => ({ context: { ...each, traceFlags: TraceFlags.SAMPLED } })),
          ...(kind === undefined ? {} : { kind: KINDS[kind] }),
        },
        context,
      );
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(Math.max(from, to));
    },
    stop: () => provider.shutdown(),
  };
}
