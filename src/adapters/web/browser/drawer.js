/** The list of threads on a narrow screen: it slides over the page, and away by its button, a tap beside it, or Esc. */

import { part } from "./part.js";

export function setUpDrawer() {
  const sidebar = part("sidebar", HTMLElement);
  const main = document.querySelector("main");
  const opener = document.querySelector('[data-drawer="open"]');
  const narrow = matchMedia("(max-width: 52rem)");

  const isOpen = () => document.body.classList.contains("drawer-open");
  /** @param {boolean} open */
  const set = (open) => {
    document.body.classList.toggle("drawer-open", open);
    opener?.setAttribute("aria-expanded", String(open));
    // What lies beneath cannot be reached by Tab, and neither can what is slid away.
    main?.toggleAttribute("inert", open && narrow.matches);
    sidebar.toggleAttribute("inert", !open && narrow.matches);
    if (!narrow.matches) return;
    const next = open ? sidebar.querySelector("a, button") : opener;
    if (next instanceof HTMLElement && document.body.contains(document.activeElement)) next.focus();
  };
  sidebar.toggleAttribute("inert", narrow.matches);
  narrow.addEventListener("change", () => set(false));
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-drawer]") : null;
    if (button instanceof HTMLElement) set(button.dataset["drawer"] === "open");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    event.preventDefault();
    set(false);
  });

  // Up and down walk through the list.
  part("threads", HTMLElement).addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const links = [...sidebar.querySelectorAll("a")].slice(1);
    const at = links.findIndex((link) => link === document.activeElement);
    const next = links[at + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  });
}
