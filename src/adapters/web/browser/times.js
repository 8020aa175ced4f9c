/** Moments in the reader's own time and language; the server only knows UTC. */

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

/**
 * How long ago, in the little room of a list; a date once it is more than a week.
 * @param {Date} moment
 */
function age(moment) {
  const minutes = Math.floor((Date.now() - moment.getTime()) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return minutes < 7 * 24 * 60 ? `${Math.floor(minutes / (24 * 60))} d` : day.format(moment);
}

/**
 * @param {ParentNode} root
 */
export function showTimes(root) {
  const today = new Date().toDateString();
  for (const time of root.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    const isToday = moment.toDateString() === today;
    const isShort = time.dataset["short"] !== undefined;
    const text = isShort
      ? age(moment)
      : isToday
        ? clock.format(moment)
        : `${day.format(moment)}, ${clock.format(moment)}`;
    if (time.textContent === text) continue;
    time.textContent = text;
    time.title = full.format(moment);
  }
}
