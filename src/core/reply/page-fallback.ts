/** What is shown where the platform does not take a page: smaller pages, then plain text, then a notice. */

import type { RunId } from "../ids.ts";
import type { PageContent, PageFile } from "../ports/surface.ts";
import { plainOf } from "./plain.ts";
import type { PageSize } from "./split.ts";

/** Smaller than any limit that a platform has. */
const LEAST_SIZE = 200;
const SHRINK_BY = 0.7;

export class PageFallback {
  readonly #run: RunId;
  #limits: PageSize;
  readonly #levels = new Map<number, "plain" | "notice">();

  constructor(limits: PageSize, run: RunId) {
    const { pageSize, mostPages, footerSize } = limits;
    this.#limits = {
      pageSize,
      measure: (markdown) => limits.measure(markdown),
      ...(mostPages === undefined ? {} : { mostPages }),
      ...(footerSize === undefined ? {} : { footerSize }),
    };
    this.#run = run;
  }

  /** The limits that pages are split by from now on. */
  get limits(): PageSize {
    return this.#limits;
  }

  /** Why the reply is not whole; undefined when it is. */
  get reason(): string | undefined {
    return [...this.#levels.values()].includes("notice")
      ? "a page was refused even as plain text"
      : undefined;
  }

  /** @returns false when pages are as small as makes sense */
  shrink(): boolean {
    const pageSize = Math.floor(this.#limits.pageSize * SHRINK_BY);
    if (pageSize < LEAST_SIZE) return false;
    this.#limits = { ...this.#limits, pageSize };
    return true;
  }

  /** All of the answer as pages; of an image only a word. @returns false when it is so already */
  without({ name, picture }: PageFile): boolean {
    const { mostPages, refused = new Set(), ...rest } = this.#limits;
    if (picture === undefined) {
      this.#limits = { ...rest, refused };
      return mostPages !== undefined;
    }
    const others = mostPages === undefined ? {} : { mostPages };
    this.#limits = { ...rest, ...others, refused: new Set([...refused, name]) };
    return !refused.has(name);
  }

  /** @returns false when there is nothing simpler than what the page is already */
  simplify(index: number): boolean {
    const level = this.#levels.get(index);
    if (level === "notice") return false;
    this.#levels.set(index, level === "plain" ? "notice" : "plain");
    return true;
  }

  apply(pages: readonly PageContent[]): readonly PageContent[] {
    if (this.#levels.size === 0) return pages;
    return pages.map((page, index) => {
      const level = this.#levels.get(index);
      if (level === undefined) return page;
      if (level === "plain") return plainOf(page, this.#limits);
      const markdown = `This part of the answer cannot be shown here (run ${this.#run}).`;
      return { markdown, buttons: [] };
    });
  }
}
