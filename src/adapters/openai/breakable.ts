/**
 * A generator whose reader may leave at any moment. A generator alone would take note of that only after its pending wait,
 * which with a silent provider is never.
 *
 * @param make gets a signal that aborts when the reader leaves; the generator then has to end soon.
 */
export function breakable<T>(make: (left: AbortSignal) => AsyncGenerator<T, void>): AsyncIterableIterator<T> {
  const leaving = new AbortController();
  const generator = make(leaving.signal);
  return {
    next: () => generator.next(),
    return: () => {
      // A reason of our own: the one that is made otherwise records a stack.
      leaving.abort("left");
      return generator.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
