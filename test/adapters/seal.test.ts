import { expect, test } from "vitest";
import { createSeal, signingSecretOf } from "../../src/adapters/seal.ts";

const hex = (digit: string): string => digit.repeat(64);
const passphrase = "correct horse battery staple";

test("what is sealed opens under its own name, and never looks the same", () => {
  const seal = createSeal([hex("a")]);
  const one = seal.seal("xoxb-1-secret", "install slack:T1");
  expect(seal.open(one, "install slack:T1")).toEqual({ kind: "opened", text: "xoxb-1-secret", isOld: false });
  expect(seal.seal("xoxb-1-secret", "install slack:T1")).not.toBe(one);
  expect(one).not.toContain("xoxb");
});

test("what was copied to another place, changed by one sign, or is no such text at all stays closed", () => {
  const seal = createSeal([hex("a")]);
  const sealed = seal.seal("xoxb-1-secret", "install slack:T1");
  expect(seal.open(sealed, "install slack:T2").kind).toBe("closed");
  const [form = "", key = "", data = ""] = sealed.split(".");
  for (let place = 0; place < data.length; place++) {
    const other = data[place] === "A" ? "B" : "A";
    const changed = [form, key, data.slice(0, place) + other + data.slice(place + 1)].join(".");
    // The last sign holds bits that count for nothing.
    if (Buffer.from(changed.split(".")[2] ?? "", "base64url").equals(Buffer.from(data, "base64url")))
      continue;
    expect(seal.open(changed, "install slack:T1").kind).toBe("closed");
  }
  for (const text of ["", "v1", `v1.${key}.`, `v1.${key}.AAAA`, "v2.x.y", "xoxb-1-secret"])
    expect(seal.open(text, "install slack:T1").kind).toBe("closed");
});

test("all keys open and the first one seals; what it has not sealed itself says so, and a key that is gone is named", () => {
  const old = createSeal([hex("a")]).seal("secret", "x");
  const both = createSeal([hex("b"), hex("a")]);
  expect(both.open(old, "x")).toEqual({ kind: "opened", text: "secret", isOld: true });
  const anew = both.seal("secret", "x");
  expect(createSeal([hex("b")]).open(anew, "x")).toEqual({ kind: "opened", text: "secret", isOld: false });
  expect(createSeal([hex("b")]).open(old, "x")).toEqual({ kind: "closed", key: old.split(".")[1] });
});

test("one key is the same in hex and in base64, and a text is a key of its own", () => {
  const bytes = Buffer.alloc(32, 0xab);
  const sealed = createSeal([bytes.toString("hex")]).seal("secret", "x");
  expect(createSeal([bytes.toString("base64")]).open(sealed, "x").kind).toBe("opened");
  const words = createSeal([passphrase]);
  expect(createSeal([passphrase]).open(words.seal("secret", "x"), "x").kind).toBe("opened");
  expect(createSeal([`${passphrase}s`]).open(words.seal("secret", "x"), "x").kind).toBe("closed");
});

test("what is signed is signed with nothing that encrypts", () => {
  const secret = signingSecretOf(hex("a"), "install-state");
  expect(secret).not.toBe(signingSecretOf(hex("a"), "links"));
  expect(secret).not.toBe(signingSecretOf(hex("b"), "install-state"));
  const sealed = createSeal([hex("a")]).seal("secret", "x");
  const other = Buffer.from(secret, "base64url").toString("hex");
  expect(createSeal([other]).open(sealed, "x").kind).toBe("closed");
});
