/** What is sent along with traces: OpenTelemetry's own form of headers. */

/** `name=value` by commas, with what is special written as in an address. */
export function headersIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(pairsIn(text).map(([name, value]) => [name, decoded(value)]));
}

/** The values in the forms in which they are found: as they were written, as they are sent, and what stands behind `Bearer`. */
export function headerSecretsIn(text: string): readonly string[] {
  return pairsIn(text).flatMap(([, value]) => {
    const sent = decoded(value);
    return [value, sent, sent.slice(sent.indexOf(" ") + 1)];
  });
}

function pairsIn(text: string): readonly (readonly [string, string])[] {
  return text.split(",").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=").map((part) => part.trim());
    return name === "" ? [] : [[name, value.join("=")] as const];
  });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
