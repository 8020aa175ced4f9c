// Runs in every test file: a promise that nobody awaited and that failed makes its test fail.
// With it comes Node's own undici, which in the product is always there before the package's: after that one, the forms of
// Discord's client would be refused.
import "node:http";
import { afterAll, afterEach } from "vitest";

const rejections: unknown[] = [];
const keep = (reason: unknown): void => void rejections.push(reason);

process.on("unhandledRejection", keep);
// The next file may run in this process.
afterAll(() => void process.off("unhandledRejection", keep));

afterEach(async () => {
  // Node tells about a rejection only when the promise callbacks of this turn have run.
  await new Promise<void>((resolve) => void setImmediate(resolve));
  const [first] = rejections.splice(0);
  if (first !== undefined) throw new Error("a rejection was not handled in this test", { cause: first });
});
