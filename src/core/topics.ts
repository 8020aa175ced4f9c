/** Who listens to what within one process. */

export interface LocalTopics<T> {
  /** Calls everyone who listens now. */
  publish(topic: string, message: T): void;
  /** Calls everyone, whatever they listen to. */
  publishToAll(message: T): void;
  /** @returns a function that ends it; calling it twice does nothing. */
  subscribe(topic: string, heard: (message: T) => void): () => void;
}

export function createLocalTopics<T>(): LocalTopics<T> {
  const topics = new Map<string, Set<{ readonly heard: (message: T) => void }>>();
  return {
    publish(topic, message) {
      for (const listener of topics.get(topic) ?? []) listener.heard(message);
    },
    publishToAll(message) {
      for (const topic of [...topics.keys()]) this.publish(topic, message);
    },
    subscribe(topic, heard) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners);
      const listener = { heard };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },
  };
}
