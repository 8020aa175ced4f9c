/** Reading of what a platform would get, which the viewers take as it is and know nothing else of. */

export type Json = Readonly<Record<string, unknown>>;

export function fieldsIn(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(fieldsIn) : [];
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
