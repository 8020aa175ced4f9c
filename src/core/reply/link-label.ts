/** What a link says about itself, on every platform. */

const HOST = /(?:https?:\/\/|\bwww\.)([^\s/?#<>]+)/gi;

/** Whether the label shows the address of another place than the one that the link leads to. */
export function isFalseLabel(label: string, address: string): boolean {
  const [leads] = hostsIn(address);
  return leads !== undefined && hostsIn(label).some((host) => host !== leads);
}

function hostsIn(text: string): readonly string[] {
  return [...text.matchAll(HOST)].map(([, host = ""]) =>
    host
      .toLowerCase()
      .replace(/^.*@/, "")
      .replace(/^www\./, "")
      .replace(/[.,:;)\]]+$/, ""),
  );
}
