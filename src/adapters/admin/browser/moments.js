/** Moments in the reader's own time and language; the server only knows UTC. */

const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/**
 * @param {ParentNode} root
 */
export function showMoments(root) {
  for (const time of root.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    time.textContent = short.format(moment);
    time.title = `${full.format(moment)}, ${time.dateTime}`;
  }
}
