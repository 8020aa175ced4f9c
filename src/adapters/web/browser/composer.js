/** The box one writes in: it grows with the text, Enter sends (on a touch screen the button), and a slash opens the palette. */

import { Palette } from "./palette.js";
import { part } from "./part.js";

export class Composer {
  #text = part("text", HTMLTextAreaElement);
  #send = part("send", HTMLButtonElement);
  #palette;
  #onSend;
  /** Where the only keyboard is on the screen, Enter is the one way to a new line, and the button sends. */
  #isTouch = matchMedia("(hover: none)").matches;

  /**
   * @param {(text: string) => void} onSend
   * @param {ConstructorParameters<typeof Palette>[0]} choicesOf
   */
  constructor(onSend, choicesOf) {
    this.#onSend = onSend;
    this.#palette = new Palette(choicesOf, (line) => this.#set(line));
    this.#text.addEventListener("input", () => this.#changed());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("blur", () => this.#palette.close());
    part("composer", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.focus();
    this.#changed();
  }

  /** A phone's keyboard that comes up unasked helps nobody: there it does nothing. */
  focus() {
    if (!this.#isTouch) this.#text.focus();
  }

  /** @param {string} text */
  fill(text) {
    this.#set(text);
    this.#palette.close();
  }

  /** @param {string} text */
  #set(text) {
    this.#text.value = text;
    this.#text.focus();
    this.#fit();
  }

  #changed() {
    this.#fit();
    this.#palette.offer();
  }

  #fit() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    this.#send.disabled = this.#text.value.trim() === "";
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
    if (this.#palette.key(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && (!this.#isTouch || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#submit();
    }
  }
}
