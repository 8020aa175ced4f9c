// One process of several that migrate at once: says "ready", migrates the database it is told, says "done".
import { migrate } from "../../../../src/adapters/postgres/migrate.ts";

process.stdout.write("ready\n");
process.stdin.once("data", (line: Buffer) => {
  migrate(line.toString().trim()).then(
    () => process.stdout.write("done\n", () => process.exit(0)),
    (error: unknown) => process.stderr.write(String(error), () => process.exit(1)),
  );
});
