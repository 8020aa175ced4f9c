// Requests to the model as an admin sees them: read from the product's own pages, over the database that a run has left.
import { openAdminWorld, type Browser } from "../adapters/admin/admin-world.ts";
import { threadOf, toSessionId } from "../../src/core/thread.ts";
import type { Person } from "../../src/core/ports/sign-ins.ts";
import type { ShownRequest } from "./checker/record.ts";
import { rowsOf } from "./journal.ts";
import { randomOf } from "./random.ts";

interface CallRow {
  readonly id: string;
  readonly session: string;
  readonly outcome: string;
}

/** @param most so many calls, drawn from the seed. */
export async function shownRequests(
  url: string,
  seed: number,
  most = 1_000,
): Promise<readonly ShownRequest[]> {
  const calls = await rowsOf<CallRow>(
    url,
    "select id, session, outcome from model_calls order by started_at, id",
  );
  const drawn = randomOf(seed, "requests that are looked at").shuffled(calls).slice(0, most);
  await using world = await openAdminWorld({ url });
  const browsers = new Map<string, Promise<Browser>>();

  function browserIn(session: string): Promise<Browser> {
    const known = toSessionId(session);
    if (known === undefined) throw new Error(`no session: ${session}`);
    const { platform, space } = threadOf(known);
    const key = `${platform}:${space}`;
    const boss: Person = { platform, space, person: "UBOSS", name: "Boss" };
    world.people.set(`${key}:UBOSS`, {
      id: "UBOSS",
      name: "Boss",
      kind: "member",
      roles: [],
      isPlatformAdmin: true,
    });
    const before = browsers.get(key) ?? world.signedIn(boss);
    browsers.set(key, before);
    return before;
  }

  const shown: ShownRequest[] = [];
  for (const { id: call, session, outcome } of drawn) {
    const browser = await browserIn(session);
    const thread = `/admin/threads/${encodeURIComponent(session)}`;
    let page = await browser.get(`${thread}/calls/${call}`);
    if (page.status === 403) {
      await browser.send(`${thread}/reason`, { reason: "to see what the model received" });
      page = await browser.get(`${thread}/calls/${call}`);
    }
    shown.push({ call, session, outcome, ...readPage(page.status === 200 ? page.text : "") });
  }
  return shown;
}

function readPage(html: string): Pick<ShownRequest, "body" | "isSame"> {
  const [, written] = /<pre class="words" tabindex="0">([\s\S]*?)<\/pre>/.exec(html) ?? [];
  const isSame = html.includes("the same bytes as were sent")
    ? true
    : html.includes("not the bytes that were sent")
      ? false
      : undefined;
  return { isSame, body: written === undefined ? undefined : JSON.stringify(JSON.parse(plain(written))) };
}

const SIGNS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function plain(html: string): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (sign) => SIGNS[sign] ?? sign);
}
