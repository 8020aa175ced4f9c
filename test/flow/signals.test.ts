// How a process ends when it is asked to.
import { expect, test } from "vitest";
import { spawnProduct } from "../support/product.ts";
import { embeddedFolder } from "../support/services/embedded.ts";

test("Ctrl C at a terminal, which npm passes on a second time, ends the process in order", async () => {
  await using folder = await embeddedFolder();
  await using bobbin = spawnProduct("start", { DATA_DIR: folder.path });
  await bobbin.ready();
  bobbin.kill("SIGINT");
  bobbin.kill("SIGINT");
  expect(await bobbin.exited).toBe(0);
});
