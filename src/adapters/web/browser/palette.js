/**
 * What a slash offers above the box: the commands that begin like what was typed, and behind a command's name what it may be given.
 * The commands stand in the page; what can be chosen just now is asked for when it is needed.
 */

import { element, part } from "./part.js";

/** @typedef {{ value: string, label: string, isCurrent: boolean }} Choice */

export class Palette {
  #list = part("commands", HTMLElement);
  #text = part("text", HTMLTextAreaElement);
  #commands = [...this.#list.querySelectorAll("li")];
  /** @type {(command: string) => Promise<readonly Choice[]>} */
  #choicesOf;
  #onFill;
  #chosen = -1;
  /** The command whose choices stand in the list, or are asked for. */
  #asked = "";

  /**
   * @param {(command: string) => Promise<readonly Choice[]>} choicesOf none where they cannot be had
   * @param {(line: string) => void} onFill what the box holds from now on
   */
  constructor(choicesOf, onFill) {
    this.#choicesOf = choicesOf;
    this.#onFill = onFill;
    for (const option of this.#commands) this.#listen(option);
  }

  /** Shows what goes with the text in the box. */
  offer() {
    const [line = "", word = "", behind] = /^\/([a-z]*)(?: (\S*))?$/i.exec(this.#text.value) ?? [];
    if (line === "") return this.close();
    const takes = this.#commands.find((option) => option.dataset["command"] === `/${word.toLowerCase()}`);
    if (behind === undefined) {
      this.#show((option) => (option.dataset["command"] ?? "").startsWith(line.toLowerCase()), 0);
    } else if (takes?.dataset["takes"] === "choice") {
      this.#offerChoices(word.toLowerCase(), behind.toLowerCase());
    } else this.close();
  }

  close() {
    this.#asked = "";
    this.#list.hidden = true;
    this.#choose([], -1);
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it was meant for the list
   */
  key(event) {
    const offered = this.#list.hidden ? [] : this.#offered();
    if (offered.length === 0 || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey)
      return false;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      const from = this.#chosen < 0 && step < 0 ? 0 : this.#chosen;
      this.#choose(offered, (from + step + offered.length) % offered.length);
      return true;
    }
    if (event.key === "Escape") {
      event.stopPropagation();
      this.close();
      return true;
    }
    const option = offered[event.key === "Tab" ? Math.max(0, this.#chosen) : this.#chosen];
    const isTaken =
      event.key === "Tab" ||
      (event.key === "Enter" && option?.dataset["command"] !== this.#text.value.trim().toLowerCase());
    if (option === undefined || !isTaken) return false;
    this.#take(option);
    return true;
  }

  /**
   * @param {string} word
   * @param {string} begun
   */
  #offerChoices(word, begun) {
    if (this.#asked !== word) {
      this.#asked = word;
      this.#list.hidden = true;
      this.#choicesOf(word).then(
        (choices) => this.#took(word, choices),
        () => this.close(),
      );
      return;
    }
    const head = `/${word} ${begun}`;
    this.#show(
      (option) => (option.dataset["command"] ?? "").toLowerCase().startsWith(head),
      begun === "" ? -1 : 0,
    );
  }

  /**
   * @param {string} word
   * @param {readonly Choice[]} choices
   */
  #took(word, choices) {
    if (this.#asked !== word) return;
    for (const option of this.#values()) option.remove();
    this.#list.append(...choices.map((choice, index) => this.#optionOf(word, choice, index)));
    // Something may have been typed meanwhile.
    this.offer();
  }

  /**
   * @param {string} word
   * @param {Choice} choice
   * @param {number} index
   */
  #optionOf(word, { value, label, isCurrent }, index) {
    const option = element("li", "value");
    option.setAttribute("role", "option");
    option.id = `value-${index}`;
    option.dataset["command"] = `/${word} ${value}`;
    option.append(element("code", "", value));
    // The word alone, and beside it what the label says besides.
    const more = label.startsWith(value) ? label.slice(value.length).trim() : label;
    const said = [...(more === "" ? [] : [more]), ...(isCurrent ? ["now"] : [])].join(" · ");
    option.append(element("span", "", said));
    this.#listen(option);
    return option;
  }

  /** @param {HTMLElement} option */
  #listen(option) {
    // Before the box loses the focus, which would close the list.
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      this.#take(option);
    });
    option.addEventListener("mousemove", () => {
      const offered = this.#offered();
      this.#choose(offered, offered.indexOf(option));
    });
  }

  /** @param {HTMLElement} option */
  #take(option) {
    const { command = "", takes = "none" } = option.dataset;
    const goesOn = takes === "choice" || takes === "text";
    this.#onFill(goesOn ? `${command} ` : command);
    if (takes === "choice") this.offer();
    else this.close();
  }

  /**
   * @param {(option: HTMLElement) => boolean} isOffered
   * @param {number} chosen
   */
  #show(isOffered, chosen) {
    for (const option of this.#options()) option.hidden = !isOffered(option);
    const offered = this.#offered();
    this.#list.hidden = offered.length === 0;
    this.#choose(offered, chosen);
  }

  /**
   * @param {HTMLElement[]} offered
   * @param {number} chosen -1 for none
   */
  #choose(offered, chosen) {
    this.#chosen = chosen;
    for (const option of this.#options()) option.setAttribute("aria-selected", "false");
    const option = offered[chosen];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option === undefined) this.#text.removeAttribute("aria-activedescendant");
    else this.#text.setAttribute("aria-activedescendant", option.id);
  }

  /** @returns {HTMLElement[]} */
  #offered() {
    return this.#options().filter((option) => !option.hidden);
  }

  /** @returns {HTMLElement[]} */
  #options() {
    return [...this.#commands, ...this.#values()];
  }

  /** @returns {HTMLElement[]} */
  #values() {
    return [...this.#list.querySelectorAll("li")].filter((option) => option.classList.contains("value"));
  }
}
