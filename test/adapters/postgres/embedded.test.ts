import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEmbedded } from "../../../src/adapters/postgres/embedded.ts";
import { running } from "../../contract/run-store-subject.ts";
import { asRun, lines } from "../../contract/store-samples.ts";
import { storesOver } from "./store-subject.ts";

test("what is stored in a directory is there when it is opened again, and only one may have it open", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bobbin-embedded-"));
  try {
    const first = await openEmbedded({ directory });
    const { session } = await running(storesOver(first), "remember me");
    await expect(openEmbedded({ directory })).rejects.toMatchObject({ code: "lock_failed" });
    await first.close();
    await first.close();
    await expect(first.query({ text: "select 1" })).rejects.toMatchObject({ code: "store_unavailable" });
    const second = await openEmbedded({ directory });
    expect(lines(asRun(await storesOver(second).store.open(session, "w")).tail)).toEqual([
      "user: remember me",
    ]);
    await second.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
