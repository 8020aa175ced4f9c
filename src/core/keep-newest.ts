/**
 * Puts what is known at the newest end of a map, whether or not it was there before, and forgets the oldest key when there are more
 * than `most`: a bound on what a process keeps in mind.
 */
export function keepNewest<K extends string, V>(
  map: Map<K, V>,
  key: NoInfer<K>,
  value: NoInfer<V>,
  most: number,
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
