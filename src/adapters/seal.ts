/**
 * Secrets at rest: AES-256-GCM under keys that are derived from SECRET_KEY, with a random nonce each time and with what the secret
 * belongs to as associated data, so that a row that was copied to another place does not open there.
 */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from "node:crypto";
import type { Seal } from "../core/ports/seal.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/;
/** Words are guessed faster than bits: each guess costs 32 MiB and some 50 ms. The salt only sets us apart from other programs. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const SALT = "bobbin/secret-key/v1";

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/** @param secretKeys the first one seals, all open. */
export function createSeal(secretKeys: readonly string[]): Seal {
  const keys = secretKeys.map((text): Key => {
    const secret = secretIn(text);
    return {
      id: derived(secret, "bobbin/key-id/v1", 8).toString("hex"),
      bytes: derived(secret, "bobbin/aes-256-gcm/v1"),
    };
  });
  const [first] = keys;
  if (first === undefined) throw new RangeError("a key is needed");
  return {
    seal(text, of) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", first.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(of));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return `v1.${first.id}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url")}`;
    },
    open(sealed, of) {
      const [, key = "unknown", data = ""] = FORM.exec(sealed) ?? [];
      // Two keys may share an id by chance or by intent.
      for (const { bytes } of keys.filter(({ id }) => id === key)) {
        const text = openedWith(bytes, Buffer.from(data, "base64url"), of);
        if (text !== undefined) return { kind: "opened", text, isOld: key !== first.id };
      }
      return { kind: "closed", key };
    },
  };
}

/** For what is signed and not encrypted: no key is used for two things. */
export function signingSecretOf(secretKey: string, what: string): string {
  return derived(secretIn(secretKey), `bobbin/signing/${what}/v1`).toString("base64url");
}

/** Bits as they are; words are stretched, since they hold fewer bits than they have letters. */
function secretIn(text: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64");
  return scryptSync(text.normalize("NFC"), SALT, 32, SCRYPT);
}

function derived(secret: Buffer, what: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", what, bytes));
}

function openedWith(key: Buffer, data: Buffer, of: string): string | undefined {
  if (data.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(of));
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  try {
    const body = data.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
