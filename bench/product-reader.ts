/** A stream through the product's own parts: model adapter, agent loop, reply writer. Store and platform answer at once. */

import { createNewId, sha256 } from "../src/adapters/ids.ts";
import { createOpenAiModel, type OpenAiModel } from "../src/adapters/openai/model.ts";
import { unlistedModel } from "../src/adapters/settings/config.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import { checkLimits } from "../src/core/agent/limits.ts";
import { runLoop } from "../src/core/agent/loop.ts";
import type { ContextEntry } from "../src/core/entry.ts";
import type { LoopHooks } from "../src/core/agent/loop-types.ts";
import { allowAll } from "../src/core/agent/tool.ts";
import type { Pages } from "../src/core/ports/pages.ts";
import type { Surface, Written } from "../src/core/ports/surface.ts";
import type { RunId } from "../src/core/ids.ts";
import { createReplyWriter } from "../src/core/reply/writer.ts";
import { sessionIdOf } from "../src/core/thread.ts";
import { silentLog } from "../test/support/silent-log.ts";
import type { BenchMessage, ReadStream } from "./stream-readers.ts";

const session = sessionIdOf({ platform: "web", space: "local", channel: "general", root: "bench" });
const requester = { id: "u1", name: "Ada" };

/** The writer paces itself as in the web chat, so it renders some times in a stream and not for each delta. */
export function createProductReader(): ReadStream {
  const clock = createSystemClock();
  const newId = createNewId(clock);
  const models = new Map<string, OpenAiModel>();
  const profile = {
    model: unlistedModel("fake", 16_384),
    system: "You are a benchmark.",
    tools: [],
    gate: allowAll,
    limits: checkLimits({}),
    caching: true,
  };

  return async (url, messages) => {
    const model =
      models.get(url) ?? createOpenAiModel({ clock, log: silentLog }, { apiKey: "none", baseUrl: url });
    models.set(url, model);
    const run = newId() as RunId;
    const fence = { session, run, number: 1 };
    const writer = createReplyWriter(
      { surface: instantSurface(), pages: instantPages, clock, log: silentLog },
      {
        run: {
          id: run,
          session,
          cause: "message",
          epoch: 1,
          rounds: 0,
          usage: {},
          startedAt: clock.now(),
          requester,
        },
        fence,
        isLive: () => true,
      },
    );
    let deltas = 0;
    const hooks: LoopHooks = {
      emit(event) {
        if (event.kind === "text") deltas++;
        writer.on(event);
      },
      isLive: () => true,
      commitRound: (round) =>
        Promise.resolve({
          stored: round.entries.map((body, index) => ({ seq: index + 1, body })),
          steered: [],
          stopped: false,
        }),
    };
    const outcome = await runLoop(
      { model, clock, newId, hash: sha256 },
      profile,
      { session, run, requester, entries: entriesOf(messages), roundsDone: 0 },
      hooks,
      new AbortController().signal,
    );
    if (outcome.kind !== "ended" || outcome.reason !== "stop") throw new Error(JSON.stringify(outcome));
    await writer.settle({ reason: "stop", endedAt: clock.now() });
    return deltas;
  };
}

function entriesOf(messages: readonly BenchMessage[]): ContextEntry[] {
  return messages.map(({ role, content }, index) => ({
    seq: index + 1,
    body:
      role === "user"
        ? { v: 1, kind: "user", author: requester, parts: [{ kind: "text", text: content }] }
        : { v: 1, kind: "assistant", text: content, calls: [] },
  }));
}

const instantPages: Pages = {
  list: () => Promise.resolve([]),
  put: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};

function instantSurface(): Surface {
  const ok: Written = { kind: "ok", message: "m1" };
  return {
    limits: { pageSize: 12_000, editEveryMs: 120, measure: (markdown) => markdown.length },
    post: () => Promise.resolve(ok),
    edit: () => Promise.resolve(ok),
    remove: () => Promise.resolve(ok),
    find: () => Promise.resolve(undefined),
  };
}
