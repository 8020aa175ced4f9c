/** The name that others see. */

import { part } from "./part.js";
import { post } from "./post.js";

/** @param {(name: string) => void} onName */
export function setUpName(onName) {
  const form = part("name-form", HTMLFormElement);
  const input = part("name", HTMLInputElement);
  const save = form.querySelector("button");
  let stored = input.value;
  input.addEventListener("input", () => save?.toggleAttribute("hidden", input.value === stored));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    post("/name", { name: input.value })
      .then((answer) => {
        if (!answer.ok) return;
        stored = answer.name ?? stored;
        input.value = stored;
        save?.toggleAttribute("hidden", true);
        onName(stored);
      })
      .catch(() => {});
  });
}
