// The list of threads and the search over them, on both databases.
import { beforeAll, describe, expect, test } from "vitest";
import { createChannelPrivacy } from "../../../src/adapters/postgres/admin/channel-privacy.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createOverviews } from "../../../src/adapters/postgres/admin/overviews.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { wantedIn } from "../../../src/core/admin/words.ts";
import type { Overview } from "../../../src/core/ports/overviews.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 5, 1);
const T1 = { platform: "slack", space: "T1" } as const;
const T2 = { platform: "slack", space: "T2" } as const;

describe.each([postgresBackend(), pgliteBackend()])("$name", (backend) => {
  const maker = () => createOverviewMaker(backend.sql());
  const overviews = () => createOverviews(backend.sql(), () => false);
  const privacy = () => createChannelPrivacy(backend.sql(), backend.sql());
  const find = async (text: string, space: { platform: "slack"; space: string } = T1): Promise<string[]> => {
    const wanted = wantedIn(text);
    if (wanted === undefined) return [];
    const opened = new Set([sessionNamed(B)]);
    return (await overviews().search(space, wanted, { limit: 20, opened })).hits.map(
      ({ session }) => session,
    );
  };
  const A = "slack:T1:C1:171.1";
  const B = "slack:T1:C2:171.2";
  const C = "slack:T2:C1:171.3";
  let runsOfB: readonly string[] = [];

  beforeAll(async () => {
    const sql = backend.sql();
    await storeThread(sql, {
      session: A,
      said: ["When do we deploy the Zürich release?", "On Thursday, says #ops. 会議は木曜日です"],
      at: START,
    });
    runsOfB = await storeThread(sql, {
      session: B,
      said: ["这个数据库的部署失败了", "a\u0000b \ud800 100%_sure", "명령어를 다시 실행해 주세요", "done"],
      author: { id: "U2", name: "\u202eevil" },
      at: START + HOUR,
      isDirect: true,
      reason: "error",
      error: "model_auth",
      cost: 2,
      model: "deep",
    });
    await storeThread(sql, { session: C, said: ["deploy of the other company", "no"], at: START + 2 * HOUR });
    for (const session of await maker().behind(100)) await maker().make(session);
    for (const [space, channel] of [
      ["T1", "C1"],
      ["T1", "C2"],
      ["T2", "C1"],
      ["T8", "C1"],
    ] as const)
      await privacy().keep({ platform: "slack", space, channel }, false);
  });

  test("a thread whose channel is private, or not known to be public, is searched only where it was opened", async () => {
    const session = sessionNamed("slack:T6:C1:1.1");
    const space = { platform: "slack", space: "T6" } as const;
    await storeThread(backend.sql(), { session, said: ["the heron", "answer"] });
    await maker().make(session);
    expect(await privacy().unknown(space, 0, 10)).toEqual(["C1"]);
    expect(await find("heron", space)).toEqual([]);
    await privacy().keep({ ...space, channel: "C1" }, true);
    expect(await privacy().unknown(space, 0, 10)).toEqual([]);
    expect(await privacy().unknown(space, Date.now() + HOUR, 10)).toEqual(["C1"]);
    expect((await overviews().get(space, session))?.isPrivate).toBe(true);
    expect(await find("heron", space)).toEqual([]);
    await privacy().keep({ ...space, channel: "C1" }, false);
    expect((await overviews().get(space, session))?.isPrivate).toBe(false);
    expect(await find("heron", space)).toEqual([session]);
  });

  test("a thread is behind until its overview is made, and again when more is stored", async () => {
    expect(await maker().behind(100)).toEqual([]);
    await storeThread(backend.sql(), { session: "slack:T9:C1:1.1", said: ["first", "answer"] });
    expect(await maker().behind(100)).toEqual(["slack:T9:C1:1.1"]);
    await maker().make(sessionNamed("slack:T9:C1:1.1"));
    await maker().make(sessionNamed("slack:T9:C1:1.1"));
    expect(await maker().behind(100)).toEqual([]);
  });

  test("a thread whose words were not all written is behind until they are; one that is made is not read again", async () => {
    const session = sessionNamed("slack:T8:C1:1.1");
    const asked: string[] = [];
    let isDying = true;
    const watched: Sql = {
      ...backend.sql(),
      async query(statement, values) {
        asked.push(statement.name ?? "");
        if (isDying && statement.name === "overview-lines") throw new Error("the process dies here");
        return backend.sql().query(statement, values);
      },
    };
    await storeThread(backend.sql(), { session, said: ["xylophone", "answer"] });
    await expect(createOverviewMaker(watched).make(session)).rejects.toThrow("dies here");
    expect(await maker().behind(100)).toEqual([session]);
    isDying = false;
    await createOverviewMaker(watched).make(session);
    expect(await find("xylophone", { platform: "slack", space: "T8" })).toEqual([session]);
    expect(await maker().behind(100)).toEqual([]);
    asked.length = 0;
    await createOverviewMaker(watched).make(session);
    expect(asked).toEqual(["overview-make"]);
  });

  test("a space lists its own threads, the newest first, with what they are and cost", async () => {
    const listed = await overviews().list(T1, {}, { limit: 10 });
    expect(listed.map(({ session }) => session)).toEqual([B, A]);
    expect(listed[0]).toMatchObject({
      label: "这个数据库的部署失败了",
      people: 1,
      isDirect: true,
      runs: 2,
      rounds: 2,
      model: "deep",
      reason: "error",
      hasError: true,
      hasGoal: false,
      cost: 4,
      tokens: 240,
      contextTokens: 100,
      contextWindow: 1000,
      isRunning: false,
      waiting: 0,
    } satisfies Partial<Overview>);
    expect((await overviews().list(T2, {}, { limit: 10 })).map(({ session }) => session)).toEqual([C]);
    expect(await overviews().get(T2, sessionNamed(A))).toBeUndefined();
    expect((await overviews().get(T1, sessionNamed(A)))?.session).toBe(A);
  });

  test.each<[string, Parameters<ReturnType<typeof overviews>["list"]>[1], string[]]>([
    ["channel", { channel: "C1" }, [A]],
    ["person", { person: "U2" }, [B]],
    ["model", { model: "deep" }, [B]],
    ["end reason", { reason: "stop" }, [A]],
    ["error", { hasError: true }, [B]],
    ["goal", { hasGoal: true }, []],
    ["flag", { isFlagged: true }, []],
    ["cost", { costOver: 1 }, [B]],
    ["from", { from: START + HOUR }, [B]],
    ["to", { to: START + HOUR }, [A]],
    ["two at once", { channel: "C2", hasError: true }, [B]],
  ])("the list is filtered by %s", async (_, filter, expected) => {
    const listed = await overviews().list(T1, filter, { limit: 10 });
    expect(listed.map(({ session }) => session)).toEqual(expected);
  });

  test("page after page gives each thread once, also those that were touched in one moment", async () => {
    const sql = backend.sql();
    const space = { platform: "slack", space: "T7" } as const;
    const all = Array.from({ length: 25 }, (_, n) => `slack:T7:C1:${n}.1`);
    for (const [n, session] of all.entries()) {
      await storeThread(sql, { session, said: ["x", "y"], at: START + Math.floor(n / 5) });
      await maker().make(sessionNamed(session));
    }
    const seen: string[] = [];
    for (let after: Overview | undefined; ;) {
      const page = await overviews().list(space, {}, { limit: 4, ...(after === undefined ? {} : { after }) });
      seen.push(...page.map(({ session }) => session));
      after = page.at(-1);
      if (after === undefined) break;
    }
    expect(seen.toSorted()).toEqual(all.toSorted());
  });

  test.each<[string, string[]]>([
    ["deploy", [A]],
    ["DEPL", [A]],
    ["thursday zürich", []],
    ["zürich release", [A]],
    ["ZÜRICH", [A]],
    ["部署", [B]],
    ["数据库的部署失败", [B]],
    ["部", [B]],
    ["署部", []],
    ["数据失败", []],
    ["木曜日", [A]],
    ["会議は木", [A]],
    ["명령어", [B]],
    ["령어를", [B]],
    ["100%_sure", [B]],
    ["' | x:*", []],
    ["!!!", []],
  ])("a search for %s finds what holds it", async (text, expected) => {
    expect(await find(text)).toEqual(expected);
  });

  test("no search reaches into another space", async () => {
    expect(await find("deploy", T2)).toEqual([C]);
    expect(await find("company")).toEqual([]);
    expect(await find("@slack:T2")).toEqual([]);
  });

  test("what one person said to the bot alone is not searched but where it was opened", async () => {
    const wanted = wantedIn("部署")!;
    const found = (opened: readonly string[]) =>
      overviews().search(T1, wanted, { limit: 5, opened: new Set(opened.map(sessionNamed)) });
    expect((await found([])).hits).toEqual([]);
    expect((await found([B])).hits).toHaveLength(1);
  });

  test("a hit says where it stands, with what is around it", async () => {
    const { hits } = await overviews().search(T1, wantedIn("zürich")!, { limit: 5, opened: new Set() });
    const [hit] = hits;
    expect(hit).toMatchObject({ session: A, epoch: 1, seq: 1, at: START });
    expect(hit?.snippet).toEqual({ before: "When do we deploy the ", hit: "Zürich", after: " release?" });
  });

  test("a thread is found by its run, and by any part of its own id; several are all listed", async () => {
    const found = async (...parts: string[]): Promise<string[]> =>
      (await overviews().find(T1, parts, 10)).map(({ session }) => session);
    expect(await found(runsOfB[1] ?? "")).toEqual([B]);
    expect(await found("171.2")).toEqual([B]);
    expect(await found("171.")).toEqual([B, A]);
    expect(await found("C2", "171.2")).toEqual([B]);
    expect(await found("171_2")).toEqual([]);
    expect(await found("%")).toEqual([]);
    expect(await found("171.3")).toEqual([]);
  });

  test("what is under way, and a name that somebody gave, show at once", async () => {
    const sql = backend.sql();
    await sql.query({ text: `update runs set reply = 'open' where id = '${runsOfB[1]}'` });
    await sql.query({ text: `update sessions set title = 'Migration' where id = '${B}'` });
    const [first] = await overviews().list(T1, {}, { limit: 1 });
    expect(first).toMatchObject({ session: B, isRunning: true, label: "Migration" });
    await sql.query({ text: `update runs set reply = 'settled' where id = '${runsOfB[1]}'` });
  });
});
