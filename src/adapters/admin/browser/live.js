/**
 * Shows what changes on the page that one looks at, and asks for nothing while nobody does: a browser has six connections to a server.
 * What was folded open stays open, and what did not change is left as it is.
 */

import { showMoments } from "./moments.js";

/**
 * @param {Element | null} shown
 */
export function follow(shown) {
  const path = shown instanceof HTMLElement ? shown.dataset["live"] : undefined;
  if (!(shown instanceof HTMLElement) || path === undefined) return;
  /** @type {EventSource | undefined} */
  let source;
  const state = document.querySelector("#line-state");
  /** @param {string} text */
  const say = (text) => {
    if (state !== null) state.textContent = text;
  };
  const close = () => {
    source?.close();
    source = undefined;
  };
  const open = () => {
    if (document.hidden || source !== undefined) return;
    source = new EventSource(path);
    source.addEventListener("open", () => say(""));
    source.addEventListener("error", () => say("Connection lost. What is here may be old."));
    source.addEventListener("content", (event) => show(shown, event.data));
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  // A page that comes back from the browser's memory missed everything meanwhile.
  addEventListener("pageshow", open);
  open();
}

/**
 * @param {HTMLElement} shown
 * @param {string} markup made and escaped by the server
 */
function show(shown, markup) {
  const fresh = new DOMParser().parseFromString(markup, "text/html").body;
  showMoments(fresh);
  if (fresh.innerHTML === shown.innerHTML) return;
  const opened = [...shown.querySelectorAll("details")].map((each) => each.open);
  const [before, now] = [[...shown.children], [...fresh.children]];
  if (before.length === now.length) {
    // Part by part: who is about to press a button in one of them does not lose it.
    for (const [n, each] of before.entries()) {
      const made = now[n];
      if (made !== undefined && !made.isEqualNode(each)) each.replaceWith(made);
    }
  } else shown.replaceChildren(...fresh.childNodes);
  for (const [n, each] of [...shown.querySelectorAll("details")].entries())
    each.open = opened[n] ?? each.open;
}
