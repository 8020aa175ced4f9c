/**
 * What the server made of it. `error` is one sentence for the person.
 * @typedef {{ ok: true, path: string, thread: string, notice?: string, details?: string, fill?: string, name?: string } | { ok: false, error: string }} Posted
 */

const LIMIT_MS = 20_000;

/**
 * Sends JSON and never throws: a server that is away is an answer too.
 * @param {string} path
 * @param {Record<string, string>} body
 * @returns {Promise<Posted>}
 */
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return { ...answer, ok: true };
    return { ok: false, error: answer.error ?? "The bot did not take it. Please try again." };
  } catch {
    return { ok: false, error: "The bot cannot be reached. Your message is kept here." };
  }
}

/**
 * What a command may be given in the thread; nothing where the server does not tell.
 * @param {string} command
 * @param {string} thread
 * @returns {Promise<readonly { value: string, label: string, isCurrent: boolean }[]>}
 */
export async function choicesOf(command, thread) {
  try {
    const path = `/choices/${command}?thread=${encodeURIComponent(thread)}`;
    const response = await fetch(path, { signal: AbortSignal.timeout(LIMIT_MS) });
    return response.ok ? (await response.json()).choices : [];
  } catch {
    return [];
  }
}
