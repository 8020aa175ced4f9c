/** The bytes of a file to the place that Slack has named for them. Nothing of ours goes there but the bytes. */

import { request } from "undici";
import { webDispatcher } from "./web-request.ts";

const TIMEOUT_MS = 30_000;

/** @returns whether Slack has them. Never throws; nobody sees the file before it is shared, so this may be done again. */
export async function uploadBytes(url: string, bytes: Uint8Array): Promise<boolean> {
  const parsed = URL.parse(url);
  const isLocal = parsed?.protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+)$/.test(parsed.hostname);
  if (parsed?.protocol !== "https:" && !isLocal) return false;
  try {
    const answer = await request(url, {
      dispatcher: webDispatcher(url),
      method: "POST",
      headers: { "content-type": "application/octet-stream", "user-agent": "bobbin" },
      body: bytes,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    return false;
  }
}
