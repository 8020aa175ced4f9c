/** The Copy button of a code block. */

/** @param {(sentence: string) => void} say */
export function setUpCopying(say) {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
    const code = button?.closest(".code")?.querySelector("code");
    if (!(button instanceof HTMLElement) || !code) return;
    copy(code)
      .then((done) => {
        button.textContent = done ? "Copied" : "Press Ctrl C";
        say(done ? "Copied" : "The code is selected");
        setTimeout(() => (button.textContent = "Copy"), 1_600);
      })
      .catch(() => {});
  });
}

/**
 * Where the address is not secure there is no clipboard to write to: then the code is selected for the reader to copy.
 * @param {Element} code
 * @returns {Promise<boolean>}
 */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
