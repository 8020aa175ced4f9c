import { expect, test } from "vitest";
import { toEntry } from "../../../src/adapters/postgres/entry-row.ts";
import { toInbound } from "../../../src/adapters/postgres/inbound-row.ts";
import { StoredJsonError } from "../../../src/adapters/postgres/stored-json.ts";
import { toStoreError } from "../../../src/adapters/postgres/store-error.ts";
import { message, newSession } from "../../contract/store-samples.ts";

test("an entry that another version wrote loads by the fields that are known, in any order", () => {
  const body = { unknown: { deep: [1] }, calls: [], text: "hello", kind: "assistant", v: 1, reasoning: null };
  expect(toEntry([3, 1, "r1", 0, body])).toEqual({
    seq: 3,
    epoch: 1,
    run: "r1",
    round: 0,
    body: { v: 1, kind: "assistant", text: "hello", calls: [] },
  });
});

test("an entry outside of a run has neither run nor round", () => {
  const body = { v: 1, kind: "note", text: "n" } as const;
  expect(toEntry([1, 2, null, null, body])).toEqual({ seq: 1, epoch: 2, body });
});

test("what does not fit is a fault of the store, said with the field's name and without its content", () => {
  const broken = [
    [{ kind: "assistant", calls: [] }, /text/],
    [{ kind: "user", parts: "secret" }, /parts/],
    [{ kind: "user", parts: [{ kind: "hologram" }] }, /hologram/],
    [{ kind: "later" }, /later/],
    [null, /entry/],
  ] as const;
  for (const [body, what] of broken) {
    const load = (): unknown => toEntry([3, 1, "r1", 0, body]);
    expect(load).toThrow(StoredJsonError);
    expect(load).toThrow(what);
    expect(load).not.toThrow(/secret/);
  }
});

test("an inbound that another version wrote loads by the fields that are known", () => {
  const inbound = message(newSession(), "hi");
  expect(toInbound({ ...inbound, unknown: true })).toEqual(inbound);
  expect(() => toInbound({ ...inbound, kind: "later" })).toThrow(StoredJsonError);
});

test("trouble with the store is told from a fault of the statement", () => {
  const thrown = (code: string, text = "x"): Error => Object.assign(new Error(text), { code });
  const states = ["08006", "57P01", "57P03", "53300", "57014", "40P01", "53000", "53200", "58000", "58030"];
  const ofSystem = [
    "ECONNREFUSED",
    "ECONNRESET",
    "EADDRNOTAVAIL",
    "EMFILE",
    "ENETDOWN",
    "EHOSTDOWN",
    "EPROTO",
    "EAI_AGAIN",
  ];
  for (const code of [...states, ...ofSystem]) {
    expect(toStoreError(thrown(code))).toMatchObject({ code: "store_unavailable", retryable: true });
  }
  for (const error of [thrown("53100"), thrown("58030", "could not write: No space left on device")]) {
    expect(toStoreError(error)).toMatchObject({ code: "store_full", retryable: true });
  }
  const both = new AggregateError([thrown("ECONNREFUSED"), thrown("ECONNREFUSED")]);
  expect(toStoreError(both)).toMatchObject({ code: "store_unavailable" });
  // A proxy without its server; Postgres itself says where in its source it went wrong.
  expect(toStoreError(thrown("XX000", "DbHandler exited"))).toMatchObject({ code: "store_unavailable" });
  const internal = Object.assign(thrown("XX000", "cache lookup failed"), { routine: "SearchSysCache" });
  const own = ["ERR_INVALID_ARG_TYPE", "22P02", "23505", "42601"].map((code) => thrown(code));
  const faults = [internal, ...own, new Error("ours"), "text"];
  for (const fault of faults) expect(toStoreError(fault)).toBe(fault);
});
