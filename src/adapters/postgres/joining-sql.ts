/**
 * The part of a run's statements that takes in who waits, $3 being the run and $5 how many entries the statement stores before
 * theirs. They are given by `holding` the session as `w` and the run as `r`, or its row `held`.
 */

import { IN_ORDER, isDropped, isStopped, USER_ENTRY } from "./ledger-sql.ts";

/** SQL: whether nothing waits that is to be taken back, or may join. */
export const nobodyWaits = (mayJoin: boolean): string => `not exists (
      select from inbox i where i.session = $1 and i.state = 'waiting' and (${isDropped("w")}${
        mayJoin ? ` or (i.kind = 'message' and not ${isStopped("w", "r")})` : ""
      }))`;

/** SQL: how many join. */
export const waiting = (mayJoin: boolean): string => `(select count(*) from inbox i
    where ${mayJoin} and not ${isStopped("w", "r")} and i.session = $1 and i.state = 'waiting' and i.kind = 'message'
      and i.seq > w.stop_seq)`;

/** SQL, with a comma before it: the CTEs `joined` (the messages that join, numbered in their order) and `steered` (their entries). */
export const joining = (mayJoin: boolean): string => `,
sorted as (
  update inbox i set
    state = case when i.seq < h.stop_seq then 'done' else 'admitted' end,
    fate = case when i.seq < h.stop_seq then 'cancelled' end,
    reason = case when i.seq < h.stop_seq then 'stop' end,
    done_at = case when i.seq < h.stop_seq then now_ms() end,
    run = case when i.seq > h.stop_seq then $3 end,
    joined = i.seq > h.stop_seq
  from held h
  where i.session = $1 and i.state = 'waiting'
    and (${isDropped("h")} or (${mayJoin} and not h.stopped and i.kind = 'message'))
  returning i.seq, i.id, i.at, i.state, i.body),
joined as (
  select row_number() over (order by ${IN_ORDER}) as n, seq, id, body from sorted where state = 'admitted'),
steered as (
  insert into entries (session, epoch, seq, run, round, kind, body, inbound)
  select $1, h.epoch, h.base + $5 + m.n, $3, h.rounds, 'user', ${USER_ENTRY}, m.id
  from held h, joined m
  returning seq, epoch, run, round, body)`;

/** SQL: in the update of a run, what changes with the messages that joined it. */
export const WITH_JOINED = `admitted_seq = greatest(r.admitted_seq, (select max(seq) from joined)),
    requester = coalesce((select body->'author' from joined order by n desc limit 1), r.requester)`;
