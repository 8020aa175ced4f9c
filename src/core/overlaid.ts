/**
 * A thing with some of it done in another way. Whatever is not named stays what it is, also what is added one day, and what a
 * getter tells is asked for anew each time: what stands before a surface hides nothing of it. For objects whose methods need no `this`.
 */
export function overlaid<T extends object>(whole: T, changes: Partial<T>): T {
  return Object.create(whole, Object.getOwnPropertyDescriptors(changes)) as T;
}
