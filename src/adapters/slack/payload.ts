/** Reading Slack's JSON field by field: what is missing or of another type is absent, and nothing throws. */

export type Payload = Readonly<Record<string, unknown>>;

/** The object, or one without fields. */
export function fieldsOf(value: unknown): Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Payload) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** A text with something in it. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Slack's `ts` (seconds with six decimals, always a string) as ms since 1970; undefined when it is none. */
export function timeOf(ts: string | undefined): number | undefined {
  return ts !== undefined && /^\d{1,12}(\.\d{1,9})?$/.test(ts) ? Math.round(Number(ts) * 1000) : undefined;
}
