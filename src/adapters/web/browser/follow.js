/**
 * Keeps a line to the server open and tells what comes over it. The browser reconnects by itself and says what it had
 * last; where it gives up (an answer that is no stream), this opens a new line.
 */

/**
 * @typedef {object} Following
 * @property {(event: { id: string, revision: number, deleted: boolean, html: string }) => void} message
 * @property {(html: string) => void} threads
 * @property {(sentence: string) => void} trouble an empty sentence says that it is over
 */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** A line that is back this soon was never missed. */
const QUIET_MS = 1_500;

/**
 * @param {string} path
 * @param {number} since newest revision that the page shows
 * @param {Following} following
 */
export function follow(path, since, following) {
  let pause = FIRST_PAUSE_MS;
  let last = since;
  /** @type {number | undefined} */
  let lost;

  const open = () => {
    const source = new EventSource(`${path}?since=${last}`);
    source.addEventListener("open", () => {
      pause = FIRST_PAUSE_MS;
      clearTimeout(lost);
      lost = undefined;
      following.trouble("");
    });
    source.addEventListener("message", (event) => {
      const told = JSON.parse(event.data);
      last = Math.max(last, told.revision);
      following.message(told);
    });
    source.addEventListener("threads", (event) => following.threads(event.data));
    source.addEventListener("trouble", (event) => following.trouble(event.data));
    source.addEventListener("well", () => following.trouble(""));
    source.addEventListener("error", () => {
      lost ??= setTimeout(() => following.trouble("Connection lost. Trying again…"), QUIET_MS);
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(open, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    });
    addEventListener("pagehide", () => source.close(), { once: true });
  };
  open();
  // A page that comes back from the browser's memory missed everything meanwhile.
  addEventListener("pageshow", (event) => event.persisted && open());
}
