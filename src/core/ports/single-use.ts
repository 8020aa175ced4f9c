/** What may be used once: who uses it first has it, in whichever process. */

export interface SingleUse {
  /** True for the first call with this text, false for every later one, durably. @param until ms since 1970, after which it is forgotten. */
  use(text: string, until: number): Promise<boolean>;
}
