// One space's token: kept, looked up again, given up, and taken again.
import { expect, test } from "vitest";
import type { SlackAnswer, SlackApi } from "../../../src/adapters/slack/api.ts";
import { InstalledSpace } from "../../../src/adapters/slack/installed-space.ts";
import type { Install } from "../../../src/core/ports/installs.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";

const refused: SlackAnswer = { kind: "refused", code: "token_revoked" };
const ok: SlackAnswer = { kind: "ok", data: {} };

function world() {
  const clock = manualClock();
  const state = {
    install: undefined as Install | undefined,
    isAway: false,
    /** Tokens that Slack takes. */
    good: new Set<string>(["xoxb-1", "xoxb-2"]),
  };
  const calls: string[] = [];
  const learnt: string[] = [];
  let reads = 0;
  const put = (token: string, more: Partial<Install> = {}): void => {
    state.install = {
      platform: "slack",
      space: "T1",
      name: "T1",
      bot: { user: "UBOT", id: "BBOT", name: "bobbin" },
      scopes: [],
      installedBy: "",
      at: 0,
      state: "active",
      secret: { kind: "open", value: token },
      revision: (state.install?.revision ?? 0) + 1,
      ...more,
    };
  };
  put("xoxb-1");
  const apiOf = (token: string): SlackApi => ({
    call(method) {
      calls.push(`${method} ${token}`);
      return Promise.resolve(state.good.has(token) ? ok : refused);
    },
  });
  const space = new InstalledSpace(
    {
      installs: {
        find() {
          reads++;
          if (state.isAway) return Promise.reject(new BobbinError("store_unavailable", "away"));
          return Promise.resolve(state.install);
        },
        mark({ revision }, to, why) {
          if (state.install?.revision !== revision || state.install.state === to)
            return Promise.resolve(false);
          const { why: _, ...rest } = state.install;
          state.install = {
            ...rest,
            state: to,
            revision: revision + 1,
            ...(why === undefined ? {} : { why }),
          };
          return Promise.resolve(true);
        },
      },
      apiOf,
      learn: (token) => void learnt.push(token),
      clock,
      log: silentLog,
    },
    "T1",
  );
  const post = (): Promise<SlackAnswer> => space.call("chat.postMessage", {});
  return { clock, state, calls, learnt, put, space, post, reads: () => reads };
}

test("a thousand calls and deliveries read the store once, and the token is known to the log before it is used", async () => {
  const { post, space, reads, learnt, calls } = world();
  await Promise.all([post(), post(), space.known()]);
  for (let n = 0; n < 1_000; n++) await post();
  expect(reads()).toBe(1);
  expect(learnt).toEqual(["xoxb-1"]);
  expect(new Set(calls)).toEqual(new Set(["chat.postMessage xoxb-1"]));
});

test("what is kept is looked up again beside the work, and a store that is away holds up nobody who is known", async () => {
  const { post, clock, put, reads, state, calls } = world();
  await post();
  put("xoxb-2");
  await clock.advance(31_000);
  await post();
  await post();
  expect(reads()).toBe(2);
  expect(calls.at(-1)).toBe("chat.postMessage xoxb-2");
  state.isAway = true;
  await clock.advance(31_000);
  expect(await post()).toEqual(ok);
});

test("sealed anew with a key that this process has not yet: it goes on with the token that it has, and another token is not guessed", async () => {
  const { post, clock, state, put, calls } = world();
  await post();
  const sealed = { secret: { kind: "sealed", why: "no key" } } as const;
  state.install = { ...state.install!, ...sealed };
  await clock.advance(31_000);
  expect([await post(), await post()]).toEqual([ok, ok]);
  expect(calls.at(-1)).toBe("chat.postMessage xoxb-1");
  put("xoxb-2", sealed);
  await clock.advance(31_000);
  await post();
  expect(await post()).toEqual({ kind: "refused", code: "token_sealed" });
});

test("a token that is refused is looked up once: what has taken its place is used at once, without an error", async () => {
  const { post, put, state, calls } = world();
  await post();
  put("xoxb-2");
  state.good.delete("xoxb-1");
  expect(await Promise.all([post(), post()])).toEqual([ok, ok]);
  expect(state.install?.state).toBe("active");
  expect(calls.at(-1)).toBe("chat.postMessage xoxb-2");
});

test("a token that is refused and has not changed breaks the install; then nothing is sent, until it is installed again", async () => {
  const { post, put, state, calls, space } = world();
  state.good.clear();
  expect(await post()).toEqual(refused);
  expect(state.install).toMatchObject({ state: "broken", why: "token_revoked" });
  const sent = calls.length;
  expect(await post()).toEqual(refused);
  expect((await space.known()).kind).toBe("broken");
  expect(calls.length).toBe(sent);
  state.good.add("xoxb-2");
  put("xoxb-2");
  expect(await post()).toEqual(ok);
});

test("a workspace that was only suspended is taken again without being installed, and asked for it once a minute at most", async () => {
  const { post, state, calls, clock, space } = world();
  state.good.clear();
  await post();
  state.good.add("xoxb-1");
  expect((await space.known()).kind).toBe("broken");
  await clock.advance(61_000);
  expect((await space.known()).kind).toBe("here");
  expect(calls.filter((call) => call.startsWith("auth.test"))).toHaveLength(1);
  expect(await post()).toEqual(ok);
});

test("where the app is not installed, or no key opens its token, nothing is sent; where that cannot be known, it is tried later", async () => {
  const { post, state, put, calls, space } = world();
  put("", { secret: { kind: "sealed", why: "no key" } });
  expect(await post()).toEqual({ kind: "refused", code: "token_sealed" });
  state.install = undefined;
  expect(await post()).toEqual({ kind: "refused", code: "not_installed" });
  expect((await space.known()).kind).toBe("gone");
  state.isAway = true;
  expect(await post()).toEqual({ kind: "unreachable", why: "away" });
  expect(calls).toEqual([]);
});

test("what was begun to be read before an install changed is not kept", async () => {
  const { put, space, calls, post } = world();
  const reading = space.known();
  put("xoxb-2");
  space.forget();
  await reading;
  await post();
  expect(calls).toEqual(["chat.postMessage xoxb-2"]);
});
