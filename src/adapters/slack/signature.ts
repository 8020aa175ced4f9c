/** Whether a request comes from Slack: its signature over time and body, made with the secret that only Slack and we know. */

import { createHmac, timingSafeEqual } from "node:crypto";

/** How far a request's time may be off, s: an old request that was overheard must be worth nothing. */
const WINDOW_S = 300;

export interface SignedRequest {
  readonly timestamp: string | null;
  readonly signature: string | null;
  /** As it came, byte for byte. */
  readonly body: Uint8Array;
}

/** @param nowMs ms since 1970. */
export function isFromSlack(request: SignedRequest, secret: string, nowMs: number): boolean {
  const { timestamp, signature, body } = request;
  if (timestamp === null || signature === null || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > WINDOW_S) return false;
  const ours = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest();
  const [version, hex] = signature.split("=", 2);
  if (version !== "v0" || hex === undefined || !/^[0-9a-f]{64}$/.test(hex)) return false;
  return timingSafeEqual(ours, Buffer.from(hex, "hex"));
}
