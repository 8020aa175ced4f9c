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
/** A browser has six connections to a server, so tabs that nobody looks at must not keep theirs. */
const HIDDEN_MS = 10_000;

/**
 * @param {string} path
 * @param {number} since newest revision that the page shows
 * @param {Following} following
 */
export function follow(path, since, following) {
  let pause = FIRST_PAUSE_MS;
  let last = since;
  /** @type {EventSource | undefined} */
  let source;
  /** @type {number | undefined} */
  let again;
  /** @type {number | undefined} */
  let lost;
  /** @type {number | undefined} */
  let hidden;

  const close = () => {
    for (const timer of [again, lost]) clearTimeout(timer);
    lost = undefined;
    source?.close();
    source = undefined;
  };

  const open = () => {
    source?.close();
    const line = new EventSource(`${path}?since=${last}`);
    source = line;
    line.addEventListener("open", () => {
      pause = FIRST_PAUSE_MS;
      clearTimeout(lost);
      lost = undefined;
      following.trouble("");
    });
    line.addEventListener("message", (event) => {
      const told = JSON.parse(event.data);
      last = Math.max(last, told.revision);
      following.message(told);
    });
    line.addEventListener("threads", (event) => following.threads(event.data));
    line.addEventListener("trouble", (event) => following.trouble(event.data));
    line.addEventListener("well", () => following.trouble(""));
    line.addEventListener("error", () => {
      lost ??= setTimeout(() => following.trouble("Connection lost. Trying again…"), QUIET_MS);
      if (line.readyState !== EventSource.CLOSED) return;
      clearTimeout(again);
      again = setTimeout(open, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    });
  };

  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(close, HIDDEN_MS);
    else if (source === undefined) open();
  });
  addEventListener("pagehide", close);
  // A page that comes back from the browser's memory missed everything meanwhile.
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
}
