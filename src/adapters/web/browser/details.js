/** What an answer did, below it: on request, and in this browser alone. */

import { element } from "./part.js";

/**
 * Opens it below the message of the button.
 * @param {HTMLButtonElement} button
 * @param {string} html made by the server
 */
export function openDetails(button, html) {
  const message = button.closest(".message");
  if (!message) return;
  const box = element("section", "details prose");
  box.setAttribute("aria-label", "Details");
  box.innerHTML = html;
  message.querySelector(".details")?.remove();
  message.append(box);
  button.setAttribute("aria-expanded", "true");
  box.scrollIntoView({ block: "nearest" });
}

/**
 * @param {HTMLButtonElement} button
 * @returns {boolean} whether it was open
 */
export function closeDetails(button) {
  const box = button.closest(".message")?.querySelector(".details");
  box?.remove();
  button.removeAttribute("aria-expanded");
  return box != null;
}
