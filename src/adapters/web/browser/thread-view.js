/** The messages of the open thread: what the server tells, and what this browser has not got through yet. */

import { element, part } from "./part.js";
import { patch } from "./patch.js";
import { showTimes } from "./times.js";

/** Nearer to the end than this the reader follows along, px. */
const NEAR = 90;
/** The server leaves them out of what it shows. */
const TURNS = /[\u202a-\u202e]/gu;

export class ThreadView {
  #thread = part("thread", HTMLElement);
  #scroller = part("scroller", HTMLElement);
  #latest = part("latest", HTMLButtonElement);
  #spoken = part("spoken", HTMLElement);
  #follows = true;

  constructor() {
    showTimes(document);
    this.#scroller.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
      this.#follows = scrollHeight - scrollTop - clientHeight < NEAR;
      if (this.#follows) this.#latest.hidden = true;
    });
    this.#latest.addEventListener("click", () => this.toEnd());
    // Also when the composer grows, a phone turns, or its keyboard opens.
    new ResizeObserver(() => this.#keepUp()).observe(this.#scroller);
    if (this.#thread.childElementCount > 0) this.toEnd();
  }

  /** @returns {HTMLButtonElement | undefined} the button of the newest answer that can be stopped */
  get stopButton() {
    const buttons = this.#thread.querySelectorAll('button[data-action="stop"]');
    const last = buttons[buttons.length - 1];
    return last instanceof HTMLButtonElement ? last : undefined;
  }

  /**
   * @param {{ id: string, deleted: boolean, html: string }} told
   * @param {boolean} isUnsent it stands in the outbox: the row is there, the receipt is not
   */
  show(told, isUnsent) {
    const shown = this.#find(told.id);
    if (told.deleted) {
      shown?.remove();
      return;
    }
    const holder = document.createElement("template");
    holder.innerHTML = told.html;
    const wanted = holder.content.firstElementChild;
    if (!(wanted instanceof HTMLElement)) return;
    showTimes(wanted);
    const message = shown ?? wanted;
    const wasSettled = shown !== undefined && shown.dataset["state"] !== "running";
    if (shown === undefined) {
      if (this.#isEarlier(wanted)) return;
      if (!this.#follows) this.#latest.hidden = false;
    } else if (isUnsent) shown.dataset["at"] = wanted.dataset["at"];
    else patch(shown, wanted);
    this.#place(message);
    if (!wasSettled) this.#speak(message);
    this.#keepUp();
  }

  /**
   * Shows a message that is on its way, at once.
   * @param {string} id
   * @param {string} text
   * @param {string} speaker
   */
  showSending(id, text, speaker) {
    const known = this.#find(id);
    if (known) {
      known.dataset["state"] = "sending";
      known.querySelector(".failure")?.remove();
      return;
    }
    const message = element("article", "message from-person");
    message.id = `m-${id}`;
    message.dataset["id"] = id;
    message.dataset["state"] = "sending";
    const head = element("header", "");
    const time = element("time", "");
    time.dateTime = new Date().toISOString();
    head.append(element("bdi", "speaker", speaker), time);
    const body = element("div", "body plain", text.replaceAll(TURNS, ""));
    body.dir = "auto";
    message.append(element("span", "knot"), head, body);
    showTimes(message);
    this.#thread.append(message);
    this.toEnd();
  }

  /** @param {string} id */
  showSent(id) {
    const message = this.#find(id);
    if (!message) return;
    message.dataset["state"] = "settled";
    message.querySelector(".failure")?.remove();
  }

  /**
   * @param {string} id
   * @param {string} sentence
   * @param {() => void} again
   */
  showFailed(id, sentence, again) {
    const message = this.#find(id);
    if (!message) return;
    message.dataset["state"] = "failed";
    message.querySelector(".failure")?.remove();
    const failure = element("p", "failure");
    const button = element("button", "act", "Retry");
    button.type = "button";
    button.addEventListener("click", again);
    failure.append(element("span", "", sentence), button);
    message.append(failure);
    this.#spoken.textContent = sentence;
    this.#keepUp();
  }

  /** @param {string} sentence said once, and shown beside nothing */
  say(sentence) {
    this.#spoken.textContent = sentence;
  }

  toEnd() {
    this.#follows = true;
    this.#latest.hidden = true;
    this.#keepUp();
  }

  #keepUp() {
    if (this.#follows && this.#thread.childElementCount > 0)
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /**
   * Into the order of creation: changes come in another one, as when an older answer grew while this page was away.
   * @param {HTMLElement} message
   */
  #place(message) {
    const at = createdAt(message);
    /** @type {Element | null} */
    let next = null;
    for (let other = this.#thread.lastElementChild; other; other = other.previousElementSibling) {
      if (other === message) continue;
      if (!(createdAt(other) > at)) break;
      next = other;
    }
    if (!message.isConnected || message.nextElementSibling !== next) this.#thread.insertBefore(message, next);
  }

  /**
   * Whether it belongs above the part of the thread that the page shows.
   * @param {HTMLElement} message
   */
  #isEarlier(message) {
    const [link, first] = this.#thread.children;
    return link?.matches(".earlier") === true && first !== undefined && createdAt(message) < createdAt(first);
  }

  /**
   * A growing text would be read out again at each step: the status is said when it changes, the answer when it is done.
   * @param {HTMLElement} message
   */
  #speak(message) {
    if (message.classList.contains("from-person")) return;
    const speaker = message.querySelector(".speaker")?.textContent ?? "";
    const said =
      message.dataset["state"] === "running"
        ? `${speaker}: ${message.querySelector(".status")?.textContent?.trim() || "writing"}`
        : `${speaker}: ${message.querySelector(".body")?.textContent ?? ""} ${message.querySelector("footer")?.textContent ?? ""}`;
    if (this.#spoken.textContent !== said) this.#spoken.textContent = said;
  }

  /**
   * @param {string} id
   * @returns {HTMLElement | undefined}
   */
  #find(id) {
    return document.getElementById(`m-${id}`) ?? undefined;
  }
}

/**
 * What is not stored yet comes last; what is no message comes first.
 * @param {Element} element
 * @returns {number}
 */
function createdAt(element) {
  if (!element.matches(".message")) return -Infinity;
  return Number(element.getAttribute("data-at") ?? Infinity);
}
