/** Secrets that are stored so that only who has a key can read them. */

export type Opened =
  /** `isOld`: sealed with a key that is not used for new ones any more. */
  | { readonly kind: "opened"; readonly text: string; readonly isOld: boolean }
  /** No key opens it: another one was used, it was changed, or it belongs to something else. `key`: the id of the key that it names. */
  | { readonly kind: "closed"; readonly key: string };

export interface Seal {
  /** @param of what the secret belongs to: under another name it does not open. Twice the same gives two different texts. */
  seal(text: string, of: string): string;
  /** Never throws. */
  open(sealed: string, of: string): Opened;
}
