/** Which addresses of a model may become links. */

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
/** Slack's limit of an address. */
const LONGEST = 3_000;

/**
 * The address as it may stand in a link, or undefined where it is only to be shown. A name before the host is how an address
 * pretends to be another one; and no sign that has a meaning in Slack's own link markup is left in it.
 */
export function safeAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return undefined;
  if (parsed.username !== "" || parsed.password !== "") return undefined;
  // An address that only gained a slash stays as it was written.
  const address = parsed.href === `${url}/` ? url : parsed.href;
  const safe = address.replaceAll(/[<>|\s]/g, (sign) => encodeURIComponent(sign));
  return safe.length > LONGEST ? undefined : safe;
}
