// What an open page of the web chat is told over its line.

export interface PageEvent {
  readonly event: string;
  readonly data: string;
}

export interface PageStream extends AsyncDisposable {
  /** In the order in which they came. */
  readonly events: readonly PageEvent[];
}

/** Follows a thread from its beginning, over one connection. */
export function watchPage(url: string, thread: string): PageStream {
  const events: PageEvent[] = [];
  const leaving = new AbortController();
  const read = async (): Promise<void> => {
    const answer = await fetch(`${url}/threads/${encodeURIComponent(thread)}/events?since=0`, {
      signal: leaving.signal,
    });
    let text = "";
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      events.push(...blocks.map(eventOf));
    }
  };
  const reading = read().catch(() => {});
  return {
    events,
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await reading;
    },
  };
}

function eventOf(block: string): PageEvent {
  const field = (name: string): string =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trim())
      .join("\n");
  return { event: field("event"), data: field("data") };
}
