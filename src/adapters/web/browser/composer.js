/** The box one writes in: it grows with the text, Enter sends (on a touch screen the button), and a slash offers the commands. */

import { part } from "./part.js";

export class Composer {
  #text = part("text", HTMLTextAreaElement);
  #send = part("send", HTMLButtonElement);
  #list = part("commands", HTMLElement);
  #onSend;
  #chosen = 0;
  /** Where the only keyboard is on the screen, Enter is the one way to a new line, and the button sends. */
  #isTouch = matchMedia("(hover: none)").matches;

  /** @param {(text: string) => void} onSend */
  constructor(onSend) {
    this.#onSend = onSend;
    this.#text.addEventListener("input", () => this.#changed());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("blur", () => (this.#list.hidden = true));
    part("composer", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    for (const option of this.#options()) {
      // Before the box loses the focus, which would close the list.
      option.addEventListener("mousedown", (event) => {
        event.preventDefault();
        this.fill(option.dataset["command"] ?? "");
      });
      option.addEventListener("mousemove", () => {
        const offered = this.#offered();
        this.#choose(offered, offered.indexOf(option));
      });
    }
    this.focus();
    this.#changed();
  }

  /** A phone's keyboard that comes up unasked helps nobody: there it does nothing. */
  focus() {
    if (!this.#isTouch) this.#text.focus();
  }

  /** @param {string} text */
  fill(text) {
    this.#text.value = text;
    this.#text.focus();
    this.#changed();
    this.#list.hidden = true;
  }

  #changed() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    this.#send.disabled = this.#text.value.trim() === "";
    this.#offer();
  }

  #submit() {
    const text = this.#text.value.trim();
    if (text === "") return;
    this.fill("");
    this.#onSend(text);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // Enter that ends a composed character (Japanese, Chinese) is not the end of the message.
    if (event.isComposing) return;
    const offered = this.#list.hidden ? [] : this.#offered();
    const plain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (offered.length > 0 && plain) {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (step !== 0) {
        event.preventDefault();
        this.#choose(offered, (this.#chosen + step + offered.length) % offered.length);
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        this.#list.hidden = true;
        return;
      }
      const command = offered[this.#chosen]?.dataset["command"] ?? "";
      if (
        event.key === "Tab" ||
        (event.key === "Enter" && command !== this.#text.value.trim().toLowerCase())
      ) {
        event.preventDefault();
        this.fill(command);
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey && (!this.#isTouch || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#submit();
    }
  }

  #offer() {
    const begun = this.#text.value.toLowerCase();
    const options = this.#options();
    for (const option of options) option.hidden = !(option.dataset["command"] ?? "").startsWith(begun);
    const offered = this.#offered();
    this.#list.hidden = !begun.startsWith("/") || offered.length === 0;
    this.#choose(offered, 0);
  }

  /**
   * @param {HTMLElement[]} offered
   * @param {number} chosen
   */
  #choose(offered, chosen) {
    this.#chosen = chosen;
    for (const option of this.#options()) option.setAttribute("aria-selected", "false");
    const option = offered[chosen];
    option?.setAttribute("aria-selected", "true");
    if (option === undefined || this.#list.hidden) this.#text.removeAttribute("aria-activedescendant");
    else this.#text.setAttribute("aria-activedescendant", option.id);
  }

  /** @returns {HTMLElement[]} */
  #offered() {
    return this.#options().filter((option) => !option.hidden);
  }

  /** @returns {HTMLElement[]} */
  #options() {
    return [...this.#list.querySelectorAll("li")];
  }
}
