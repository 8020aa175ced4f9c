/**
 * Reading JSON that was stored, field by field: jsonb keeps neither the order of keys nor what an older version wrote, so
 * nothing is taken over as a whole. What does not fit is a fault of the store and throws with the field's name.
 */

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new StoredJsonError(what);
  return value as Fields;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new StoredJsonError(what);
  return value as readonly unknown[];
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== "string") throw new StoredJsonError(what);
  return value;
}

export function numberOf(value: unknown, what: string): number {
  if (typeof value !== "number") throw new StoredJsonError(what);
  return value;
}

/** Copies the named field when it is there with the type that `read` wants; a null counts as absent. */
export function optional<K extends string, T>(
  fields: Fields,
  name: K,
  read: (value: unknown, what: string) => T,
): { readonly [P in K]?: T } {
  const value = fields[name];
  if (value === undefined || value === null) return {};
  return { [name]: read(value, name) } as { readonly [P in K]?: T };
}

export class StoredJsonError extends Error {
  constructor(what: string) {
    super(`stored JSON does not fit: ${what}`);
    this.name = "StoredJsonError";
  }
}
