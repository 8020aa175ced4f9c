/**
 * What was written and is not stored yet, kept over a reload. One list per thread; the page for a new thread has its own.
 * @typedef {{ id: string, text: string }} Unsent
 */

export class Outbox {
  /** @type {string} */
  #key;

  /** @param {string} session empty on the page for a new thread */
  constructor(session) {
    this.#key = `bobbin:unsent:${session}`;
  }

  /** @returns {Unsent[]} */
  all() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.#key) ?? "[]");
      return Array.isArray(kept) ? kept : [];
    } catch {
      return [];
    }
  }

  /** @param {string} id */
  has(id) {
    return this.all().some((unsent) => unsent.id === id);
  }

  /** @param {Unsent} unsent */
  add(unsent) {
    if (!this.has(unsent.id)) this.#keep([...this.all(), unsent]);
  }

  /** @param {string} id */
  remove(id) {
    this.#keep(this.all().filter((unsent) => unsent.id !== id));
  }

  /** @param {Unsent[]} all */
  #keep(all) {
    try {
      if (all.length === 0) sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, JSON.stringify(all));
    } catch {
      // A full or forbidden storage: the message still stands on the page.
    }
  }
}
