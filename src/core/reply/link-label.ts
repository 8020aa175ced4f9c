/** What a link says about itself, on every platform. */

const ADDRESS = /(?:https?:\/\/|\bwww\.)([^\s/?#<>]+)\S*/gi;
/** A host without more, with what follows it, and the host of a mail address. */
const BARE =
  /(?<![\p{L}\p{N}_./-])(?:[\p{L}\p{N}-]+\.)+(\p{L}{2,})(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])(?:[:/?#]\S*)?/giu;
/** By these ends people know a host where it stands without `https://`; those of two letters are countries. */
const ENDS: ReadonlySet<string> = new Set(
  "com org net edu gov mil int info biz name app dev cloud online site shop store tech bank xyz page web blog pro".split(
    " ",
  ),
);
/** Two letters that a name of code ends with more often than a host does. */
const ENDS_OF_FILES: ReadonlySet<string> = new Set(
  "bz cc cs fs gz go hs js kt md mk ml mm pl ps py rb rs sh so sql tf ts vb vi xz".split(" "),
);

/** Nobody sees them, and what people read as a host would be none with one of them inside. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** Whether the label shows the address of another place than the one that the link leads to. */
export function isFalseLabel(label: string, address: string): boolean {
  if (label === address) return false;
  const leads = new Set(
    address.startsWith("mailto:") ? hostsOfMail(address) : [...address.matchAll(ADDRESS)].map(hostOf),
  );
  return hostsIn(label.replaceAll(UNSEEN, "")).some((host) => !leads.has(host));
}

/** A name before the host counts as one: it is how an address pretends to be another. */
function hostsIn(label: string): readonly string[] {
  const whole = [...label.matchAll(ADDRESS)].map(hostOf);
  const bare = [...label.replaceAll(ADDRESS, " ").matchAll(BARE)]
    .filter(([, end = ""]) => isEnd(end.toLowerCase()))
    .map(([found]) => plainHost(found.replace(/[:/?#].*$/s, "")));
  return [...whole, ...bare];
}

function hostsOfMail(address: string): readonly string[] {
  const [people = ""] = address.slice("mailto:".length).split("?");
  return people.split(",").map((one) => plainHost(one.replace(/^.*(?:@|%40)/, "")));
}

function isEnd(end: string): boolean {
  return ENDS.has(end) || (end.length === 2 && !ENDS_OF_FILES.has(end));
}

function hostOf([, host = ""]: RegExpMatchArray): string {
  return plainHost(host);
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./, "")
    .replace(/[.,:;)\]]+$/, "")
    .replace(/:\d+$/, "");
}
