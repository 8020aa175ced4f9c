// A process that takes the lock of a directory, says "held" or why not, and then stays until it is ended.
import { lockDirectory } from "../../../../src/adapters/postgres/directory-lock.ts";

const [directory = ""] = process.argv.slice(2);
process.stdin.resume();
lockDirectory(directory).then(
  () => process.stdout.write("held\n"),
  (error: unknown) => process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`),
);
