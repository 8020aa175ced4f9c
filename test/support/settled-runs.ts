// Runs whose work is over. A whole answer stands on the platform before its attempt has ended, since what a dead attempt may
// still have written there is written over first.
import type { RunView, Transcripts } from "../../src/core/ports/transcripts.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { until } from "./until.ts";

/** Its reply is settled, and each attempt has ended. */
const isOver = ({ reply, attempts }: RunView): boolean =>
  reply === "settled" && attempts.every(({ ended }) => ended !== undefined);

/** Once so many of the session's runs are over. */
export async function runsOver(
  transcripts: Pick<Transcripts, "runs">,
  session: SessionId,
  count: number,
): Promise<void> {
  await until(async () => (await transcripts.runs(session)).filter(isOver).length >= count, {
    what: `${count} runs are over`,
  });
}

/** The session's runs, oldest first, once each is over. */
export function settledRuns(
  transcripts: Pick<Transcripts, "runs">,
  session: SessionId,
): Promise<readonly RunView[]> {
  return until(
    async () => {
      const runs = await transcripts.runs(session);
      return runs.length > 0 && runs.every(isOver) ? runs : undefined;
    },
    { what: "every run is over" },
  );
}
