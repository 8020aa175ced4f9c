/** The page of the chat: puts its parts together. */

import { Composer } from "./composer.js";
import { setUpCopying } from "./copy-code.js";
import { closeDetails, openDetails } from "./details.js";
import { setUpDrawer } from "./drawer.js";
import { follow } from "./follow.js";
import { setUpName } from "./name-form.js";
import { newId } from "./new-id.js";
import { Outbox } from "./outbox.js";
import { part } from "./part.js";
import { choicesOf, post } from "./post.js";
import { ThreadView } from "./thread-view.js";
import { showTimes } from "./times.js";

const { session = "", revision = "0" } = document.body.dataset;
let person = document.body.dataset["person"] ?? "Guest";

const view = new ThreadView();
const outbox = new Outbox(session);
const lineState = part("line-state", HTMLElement);
const invitation = document.getElementById("invitation");

/** The open thread; on the page for a new one it is there once the first message is stored. */
let thread = session;
let waiting = 0;
/** One after the other, so that two quick messages arrive in the order they were written, and in one thread. */
let sending = Promise.resolve();

/** @param {import("./outbox.js").Unsent} unsent */
function send(unsent) {
  outbox.add(unsent);
  invitation?.remove();
  view.showSending(unsent.id, unsent.text, person);
  waiting += 1;
  sending = sending.then(() => deliver(unsent));
}

/** @param {import("./outbox.js").Unsent} unsent */
async function deliver(unsent) {
  const answer = await post("/messages", { ...unsent, ...(thread === "" ? {} : { thread }) });
  waiting -= 1;
  if (answer.ok) {
    outbox.remove(unsent.id);
    view.showSent(unsent.id);
    thread = answer.thread;
  } else if (thread !== session) {
    // It belongs to the thread that was just made, whose page shows it with Retry.
    outbox.remove(unsent.id);
    new Outbox(thread).add(unsent);
  } else {
    view.showFailed(unsent.id, answer.error, () => send(unsent));
  }
  if (thread !== session && waiting === 0) location.assign(`/threads/${encodeURIComponent(thread)}`);
}

/** @param {HTMLButtonElement} button */
async function act(button) {
  const { action = "", value = "", confirm: question = "" } = button.dataset;
  if (action === "details" && closeDetails(button)) return;
  if (question !== "" && !window.confirm(question)) return;
  // A button that is disabled or goes with the end of its reply takes the focus with it.
  if (document.activeElement === button) composer.focus();
  button.disabled = true;
  const answer = await post("/action", { id: newId(), thread: session, action, value });
  const hasShown = !button.isConnected || button.dataset["action"] !== action;
  if (answer.ok && answer.fill !== undefined) composer.fill(answer.fill);
  if (!answer.ok) notice(answer.error);
  else if (answer.details !== undefined) openDetails(button, answer.details);
  else if (!hasShown) notice(answer.notice ?? "");
  // The reply changes when it has happened; a click that came to nothing can be made again.
  setTimeout(() => (button.disabled = false), 1_500);
}

/** @type {number | undefined} */
let noticeEnd;
/** @param {string} sentence */
function notice(sentence) {
  view.say(sentence);
  tell(sentence, "notice");
  clearTimeout(noticeEnd);
  noticeEnd = setTimeout(() => tell(trouble, "trouble"), 5_000);
}

/**
 * @param {string} sentence
 * @param {"notice" | "trouble"} kind
 */
function tell(sentence, kind) {
  lineState.textContent = sentence;
  lineState.dataset["kind"] = kind;
}

function stopAnswer() {
  const button = view.stopButton;
  if (button && !button.disabled) act(button).catch(() => {});
}

const composer = new Composer(
  (text) => send({ id: newId(), text }),
  (command) => choicesOf(command, thread),
);
setUpDrawer();
setUpCopying((sentence) => view.say(sentence));
setUpName((name) => (person = name));

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button?.dataset["action"]) act(button).catch(() => {});
  if (button?.dataset["example"]) send({ id: newId(), text: button.dataset["example"] });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) stopAnswer();
});

for (const unsent of outbox.all()) {
  view.showSending(unsent.id, unsent.text, person);
  view.showFailed(unsent.id, "This message has not been sent yet.", () => send(unsent));
  invitation?.remove();
}

/** How long ago a thread was written to grows while the page is open. */
setInterval(() => showTimes(part("threads", HTMLElement)), 30_000);

let trouble = "";
follow(session === "" ? "/events" : `/threads/${encodeURIComponent(session)}/events`, Number(revision), {
  message(told) {
    view.show(told, outbox.has(told.id));
    // That it stops has been said; that it has stopped shows in the reply.
    if (view.stopButton === undefined && lineState.dataset["kind"] === "notice") tell(trouble, "trouble");
  },
  threads(html) {
    const list = part("threads", HTMLElement);
    const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : "";
    list.innerHTML = html;
    showTimes(list);
    const title = list.querySelector("[aria-current] .label")?.textContent;
    const heading = document.querySelector("h1");
    if (title && heading && session !== "") {
      heading.textContent = title;
      document.title = `${title} · ${document.body.dataset["bot"]}`;
    }
    if (focused !== "")
      for (const link of list.querySelectorAll("a")) if (link.href === focused) link.focus();
  },
  trouble(sentence) {
    trouble = sentence;
    tell(sentence, "trouble");
  },
});
