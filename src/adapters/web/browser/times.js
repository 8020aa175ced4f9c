/** Moments in the reader's own time and language; the server only knows UTC. */

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

/**
 * @param {ParentNode} root
 */
export function showTimes(root) {
  const today = new Date().toDateString();
  for (const time of root.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    const isToday = moment.toDateString() === today;
    const isShort = time.dataset["short"] !== undefined;
    const text = isToday
      ? clock.format(moment)
      : isShort
        ? day.format(moment)
        : `${day.format(moment)}, ${clock.format(moment)}`;
    if (time.textContent === text) continue;
    time.textContent = text;
    time.title = full.format(moment);
  }
}
