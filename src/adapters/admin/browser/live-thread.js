/** Shows what changes in the thread that one looks at. What was folded open stays open. */

import { showMoments } from "./moments.js";

/**
 * @param {Element | null} thread
 */
export function followThread(thread) {
  if (!(thread instanceof HTMLElement) || thread.dataset["live"] === undefined) return;
  const source = new EventSource(thread.dataset["live"]);
  const state = document.querySelector("#line-state");
  /** @param {string} text */
  const say = (text) => {
    if (state !== null) state.textContent = text;
  };
  source.addEventListener("open", () => say(""));
  source.addEventListener("error", () => say("Connection lost. What is here may be old."));
  source.addEventListener("thread", (event) => show(thread, event.data));
}

/**
 * @param {HTMLElement} thread
 * @param {string} markup made and escaped by the server
 */
function show(thread, markup) {
  const fresh = new DOMParser().parseFromString(markup, "text/html").body;
  showMoments(fresh);
  if (fresh.innerHTML === thread.innerHTML) return;
  const opened = [...thread.querySelectorAll("details")].map((each) => each.open);
  thread.replaceChildren(...fresh.childNodes);
  for (const [n, each] of [...thread.querySelectorAll("details")].entries())
    each.open = opened[n] ?? each.open;
}
