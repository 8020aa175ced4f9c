/**
 * An id for a message or a click; sending again under it is the same thing. Without `randomUUID`, which browsers only
 * have where the address is secure.
 * @returns {string}
 */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
