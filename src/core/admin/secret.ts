/** What links and cookies hold: 256 random bits, base64url. */

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Whether it has the shape of one. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}
