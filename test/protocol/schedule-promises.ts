// What holds of a thread that has come to rest, whatever happened in it.
import type { Entry } from "../../src/core/entry.ts";
import { entriesOf } from "../support/memory-ledger/rows.ts";
import { requestRefusals } from "../support/strict-provider.ts";
import type { ScheduleWorld } from "./schedule-world.ts";

/** The promises that were broken. */
export function brokenPromises(world: ScheduleWorld): string[] {
  const { ledger, thread, session } = world;
  const wrong = [...world.wrongs, ...thread.faults];
  const entries = entriesOf(ledger, session);
  const messages = ledger.inbox.filter(({ inbound }) => inbound.kind === "message");
  if (messages.length !== world.said.length)
    wrong.push(`${world.said.length} messages were said, ${messages.length} were stored`);
  const taken = entries.flatMap(({ body }) => (body.kind === "user" && body.inbound ? [body.inbound] : []));
  if (new Set(taken).size !== taken.length) wrong.push("a message was taken in twice");
  for (const { inbound, fate, run, state } of messages) {
    if (fate === undefined) wrong.push(`no fate: ${inbound.id} ${state}`);
    if (world.takenBack.has(inbound.id) && fate !== "cancelled")
      wrong.push(`${fate} though a stop took it back`);
    const reason = ledger.runs.find(({ id }) => id === run)?.outcome?.reason;
    const isAnswered = fate === "answered" || fate === "steered";
    if (reason !== undefined && isAnswered !== (reason === "stop"))
      wrong.push(`${fate} in a run that ended: ${reason}`);
  }
  for (const run of ledger.runs) {
    const reason = run.outcome?.reason;
    if (world.stopped.has(run.id) && reason !== "cancelled") wrong.push(`stopped, and ended: ${reason}`);
    if (run.outcome?.error?.code === "panic") wrong.push(`a fault of ours: ${run.outcome.error.message}`);
    const own = entries.filter((entry) => entry.run === run.id && entry.body.kind !== "note");
    if (own.some((entry, at) => isAnswer(entry) && isAnswer(own[at + 1]))) wrong.push("answered twice");
    const pages = thread.messages.filter(({ key, isDeleted }) => key.startsWith(`${run.id}-`) && !isDeleted);
    if (pages.length !== 1) wrong.push(`${pages.length} pages of a reply`);
    if (pages.some(({ page }) => page.status !== undefined))
      wrong.push("a reply that is over looks as if it went on");
    if (reason !== "stop") continue;
    const said = own.flatMap(({ body }) =>
      body.kind === "assistant" && body.text !== "" ? [body.text] : [],
    );
    if (pages[0]?.page.markdown !== said.join("\n\n")) wrong.push("a reply is not whole");
  }
  for (const [call, count] of world.writesOf)
    if (count > 1) wrong.push(`${call} had its effect ${count} times`);
  const crashes = ledger.attempts.filter(({ ended }) => ended === "crashed" || ended === undefined);
  if (crashes.length > world.deaths)
    wrong.push(`${crashes.length} crashes where at most ${world.deaths} were`);
  return [...new Set([...wrong, ...world.model.requests.flatMap((request) => requestRefusals(request))])];
}

function isAnswer(entry?: Entry): boolean {
  return entry?.body.kind === "assistant" && entry.body.calls.length === 0 && entry.body.interrupted !== true;
}
