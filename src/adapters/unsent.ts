/** What a request that failed says of itself: why, and whether its first byte was ever sent. */

const UNSENT: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "EAI_FAIL",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether it certainly was not sent: there never was a connection. */
export function isUnsent(error: unknown): boolean {
  return codesOf(error).some((code) => UNSENT.has(code));
}

/** The codes and words of the error and its causes. */
export function reasonsOf(error: unknown): string {
  const words = chainOf(error).map((link) => (link instanceof Error ? link.message : String(link)));
  return [...new Set([...codesOf(error), ...words])].filter((word) => word !== "").join(": ");
}

export function codesOf(error: unknown): readonly string[] {
  return chainOf(error).flatMap((link) =>
    link instanceof Error && "code" in link && typeof link.code === "string" ? [link.code] : [],
  );
}

/** An error and its causes; a connection that was tried at several addresses has one for each. */
function chainOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 5) return [error];
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const causes = error.cause === undefined ? inner : [error.cause, ...inner];
  return [error, ...causes.flatMap((cause) => chainOf(cause, depth + 1))];
}
