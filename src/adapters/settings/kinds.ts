/** The kinds of settings: how the text of a variable becomes a value, and what to say when it cannot. */

export interface Wrong {
  readonly problem: string;
  readonly fix: string;
}

export type Parsed<T> = { readonly kind: "value"; readonly value: T } | ({ readonly kind: "wrong" } & Wrong);

export interface Setting<T> {
  readonly name: string;
  /** One sentence for the table in the README. */
  readonly meaning: string;
  /** As people read it; empty when there is none. */
  readonly shownDefault: string;
  /** What of the value is never shown, and is masked in logs: all of it, the password in a URL, or all of it and each header's value. */
  readonly secrecy: "none" | "whole" | "password" | "headers";
  /** `undefined`: not set, or set to nothing but blanks. */
  readonly parse: (text: string | undefined) => Parsed<T>;
}

type Read<T> = (text: string) => Parsed<T>;

function value<T>(value: T): Parsed<T> {
  return { kind: "value", value };
}

function wrong(problem: string, fix: string): { readonly kind: "wrong" } & Wrong {
  return { kind: "wrong", problem, fix };
}

/** A setting that may be left out, and then is `undefined`. */
export function optional<T>(name: string, meaning: string, read: Read<T>): Setting<T | undefined> {
  return {
    name,
    meaning,
    shownDefault: "",
    secrecy: "none",
    parse: (text) => (text === undefined ? value(undefined) : read(text)),
  };
}

/** A setting with a default, given as the text that a person would write. */
export function withDefault<T>(name: string, standard: string, meaning: string, read: Read<T>): Setting<T> {
  return { name, meaning, shownDefault: standard, secrecy: "none", parse: (text) => read(text ?? standard) };
}

export function secret<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, secrecy: "whole" };
}

export function withPassword<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, secrecy: "password" };
}

export function withHeaders<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, secrecy: "headers" };
}

export const text: Read<string> = value;

export function url(schemes: readonly string[], example: string): Read<string> {
  return (given) => {
    const fix = `Write it like ${example}.`;
    if (!URL.canParse(given)) return wrong("is not a URL", fix);
    const { protocol } = new URL(given);
    if (!schemes.includes(protocol.slice(0, -1))) return wrong(`begins with ${protocol}//`, fix);
    return value(given);
  };
}

/** Where a server is reached, kept as a browser writes it. What stands behind the host would be lost: pages and cookies are of the whole host. */
export function origin(schemes: readonly string[], example: string): Read<string> {
  const read = url(schemes, example);
  return (given) => {
    const parsed = read(given);
    if (parsed.kind === "wrong") return parsed;
    const { origin, username, password, pathname, search, hash } = new URL(given);
    const fix = `Give it a host of its own, and write that alone, like ${example}.`;
    if (username !== "" || password !== "") return wrong("holds a user or a password", fix);
    if (pathname !== "/" || search !== "" || hash !== "")
      return wrong("has something behind the host, and Bobbin's pages stand at the root of one", fix);
    return value(origin);
  };
}

export function whole(least: number, most: number): Read<number> {
  return (given) => {
    const number = Number(given);
    if (/^\d+$/.test(given) && number >= least && number <= most) return value(number);
    return wrong(`is ${JSON.stringify(given)}`, `Give a whole number from ${least} to ${most}.`);
  };
}

/** A part of all, from 0 to 1. */
export const share: Read<number> = (given) => {
  const read = Number(given);
  return given !== "" && read >= 0 && read <= 1
    ? value(read)
    : wrong(`is ${JSON.stringify(given)}`, "Give a number from 0 to 1.");
};

export function oneOf<const T extends string>(words: readonly T[]): Read<T> {
  return (given) => {
    const word = words.find((word) => word === given.toLowerCase());
    return word === undefined
      ? wrong(`is ${JSON.stringify(given)}`, `Use one of: ${words.join(", ")}.`)
      : value(word);
  };
}

export const onOrOff: Read<boolean> = (given) => {
  if (/^(on|true|yes|1)$/i.test(given)) return value(true);
  if (/^(off|false|no|0)$/i.test(given)) return value(false);
  return wrong(`is ${JSON.stringify(given)}`, "Use on or off.");
};

/** The same, or one more word. */
export function onOffOr<const T extends string>(more: T): Read<"on" | "off" | T> {
  return (given) => {
    if (given.toLowerCase() === more) return value(more);
    const read = onOrOff(given);
    return read.kind === "value"
      ? value(read.value ? "on" : "off")
      : wrong(read.problem, `Use on, off or ${more}.`);
  };
}

/** Words separated by commas; blanks around them do not count. */
export const list: Read<readonly string[]> = (given) =>
  value(
    given
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  );

/** People by platform, space and id, each of them named: of a space any may be meant, of people never. */
export const people: Read<readonly string[]> = (given) => {
  const parsed = list(given);
  const bad = (parsed.kind === "value" ? parsed.value : []).find(
    (one) => !/^(slack|discord|web):(\*|[\w.-]+):[\w.-]+$/.test(one),
  );
  if (bad === undefined) return parsed;
  const fix = bad.endsWith(":*")
    ? "Name each person; who is an admin of a space by a role stands in access.admins.roles of bobbin.config.ts."
    : "Write each as platform, space and id, such as slack:T1:U1.";
  return wrong(`holds ${JSON.stringify(bad)}`, fix);
};

/** A token whose kind can be told from how it begins. The value itself never enters the message. */
export function token(prefixes: readonly string[], where: string): Read<string> {
  return (given) => {
    if (prefixes.some((prefix) => given.startsWith(prefix)) && !/\s/.test(given)) return value(given);
    return wrong(`does not begin with ${prefixes.join(" or ")}`, `Copy it again from ${where}.`);
  };
}

const keyBytes = 32;
/** Words that are shorter are guessed, however they are stretched. */
const fewestLetters = 24;

/** Keys of 32 bytes in base64 or hex, or long texts; the one that encrypts first. */
export const keys: Read<readonly string[]> = (given) => {
  const parsed = list(given);
  const found = parsed.kind === "value" ? parsed.value : [];
  const make = "Make one with: openssl rand -base64 32";
  if (found.length === 0) return wrong("holds no key", make);
  const bad = found.findIndex((key) => key.length < fewestLetters);
  return bad === -1
    ? value(found)
    : wrong(
        `is neither ${keyBytes} bytes in base64 or hex nor a text of at least ${fewestLetters} letters (key ${bad + 1})`,
        make,
      );
};

export const host: Read<string> = (given) =>
  /^[A-Za-z0-9.:_-]+$/.test(given)
    ? value(given)
    : wrong(`is ${JSON.stringify(given)}`, "Give an address or a host name, such as 127.0.0.1 or 0.0.0.0.");
