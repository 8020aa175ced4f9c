/** What the model proposed as goals. Whether one is still open is asked of its session and its goals. */

import type { GoalProposals, ProposedGoal } from "../../core/ports/goal-proposals.ts";
import { cleanJsonText } from "../../core/text.ts";
import type { Sql } from "./sql.ts";
import { fieldsOf, listOf, numberOf, textOf } from "./stored-json.ts";

const NEWEST = `coalesce((select max(g.n) from goals g where g.session = $1), 0)`;

/** Who erases is waited for; behind that the run has ended. */
const PUT = {
  name: "goal-proposal-put",
  text: `
insert into goal_proposals (id, session, epoch, goals, body)
select $2, $1, s.epoch, ${NEWEST}, $3::jsonb from (
  select s.epoch from sessions s, sessions w, runs r
  where s.id = $1 and w.id = $1 and s.rev = w.rev and r.id = $4 and r.session = w.id and r.reply = 'open' for key share of s) s
on conflict (id) do nothing`,
};

const FIND = {
  name: "goal-proposal-find",
  text: `
select p.body, s.epoch = p.epoch and ${NEWEST} = p.goals as "isOpen"
from goal_proposals p join sessions s on s.id = p.session where p.session = $1 and p.id = $2`,
};

export function createGoalProposals(sql: Sql): GoalProposals {
  return {
    async put(session, proposal, run) {
      await sql.query(PUT, [session, proposal.id, cleanJsonText(proposal), run]);
    },
    async find(session, id) {
      const [row] = await sql.query<{ body: unknown; isOpen: boolean }>(FIND, [session, id]);
      if (row === undefined) return { kind: "unknown" };
      return row.isOpen ? { kind: "open", proposal: toProposed(row.body) } : { kind: "void" };
    },
  };
}

function toProposed(value: unknown): ProposedGoal {
  const { id, objective, doneWhen, limits } = fieldsOf(value, "proposal");
  const { tokens, turns, minutes } = fieldsOf(limits, "limits");
  return {
    id: textOf(id, "id"),
    objective: textOf(objective, "objective"),
    ...(doneWhen === undefined
      ? {}
      : { doneWhen: listOf(doneWhen, "doneWhen").map((line) => textOf(line, "doneWhen")) }),
    limits: {
      tokens: numberOf(tokens, "tokens"),
      turns: numberOf(turns, "turns"),
      minutes: numberOf(minutes, "minutes"),
    },
  };
}
