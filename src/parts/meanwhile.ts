/** What is answered where there is nothing to show, yet or at all. */

/** What a browser reads before there is anything else to read; it asks again by itself. A page that is open reads JSON. */
export function stillStarting(sentence: string, method: string): Response {
  if (method === "POST") {
    return Response.json({ error: sentence }, { status: 503, headers: { "Retry-After": "2" } });
  }
  return new Response(sentence, {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8", Refresh: "2" },
  });
}

export function nothingHere(): Response {
  return new Response("There is no web chat here.", {
    status: 404,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}
