// Queue and leases of one session over several processes, each step a step of the schedule, and what can go wrong with them.
import { BobbinError } from "../../src/core/errors.ts";
import type { Clock } from "../../src/core/ports/clock.ts";
import type { Lease, Locker } from "../../src/core/ports/locker.ts";

/** A process that serves sessions, as queue and leases know it. */
export interface Member {
  readonly name: string;
  isDead: boolean;
  /** Takes no more jobs. */
  isClosing: boolean;
  isBusy: boolean;
  /** Serves one job; `lost` aborts when the queue has given it to another. */
  serve(lost: AbortSignal): Promise<void>;
}

export interface Schedule {
  /** Resolves when it is this step's turn. */
  step(name: string): Promise<void>;
  /** Lets it go on by itself; what it fails with is told at the end. */
  begin(work: Promise<unknown>): void;
}

/** How long a lease lasts, and how soon its holder learns that it is gone, ms. */
export const LEASE_MS = 7_000;
const RENEW_MS = LEASE_MS / 3;

interface Held {
  readonly member: Member;
  readonly controller: AbortController;
  isLive: boolean;
  liveUntil: number;
}

export interface Coordination {
  lockerOf(member: Member): Locker;
  /** Whether it may start a write to the platform. */
  isLive(member: Member): boolean;
  wake(): Promise<void>;
  /** A process that may take jobs. */
  join(member: Member): void;
  /** kill -9: its lease runs out, then its job is taken for stalled. */
  died(member: Member): void;
  /** Paused past its lease; `isTold`: its signal aborts in some later step. */
  loseLease(isTold: boolean): void;
  /** The job is taken for stalled though it is served; `isTold`: who serves it hears so. */
  stall(isTold: boolean): void;
  flush(): void;
  /** The next wake fails. */
  mute(): void;
  readonly isIdle: boolean;
  /** What must not be. */
  readonly wrongs: readonly string[];
}

export interface CoordinationRules {
  readonly isExclusive: boolean;
  readonly keepsWake: boolean;
}

export function createCoordination(schedule: Schedule, clock: Clock, rules: CoordinationRules): Coordination {
  const members = new Set<Member>();
  const wrongs: string[] = [];
  let held: Held | undefined;
  /** The newest lease of each. */
  const leases = new Map<Member, Held>();
  let isWaiting = false;
  let isKept = false;
  let isMute = false;
  let active: { readonly member: Member; readonly lost: AbortController } | undefined;
  const isLive = (lease: Held): boolean => lease.isLive && clock.ticks() < lease.liveUntil;

  function ring(): void {
    if (active !== undefined) isKept ||= rules.keepsWake;
    else if (!isWaiting) {
      isWaiting = true;
      offer();
    }
  }

  function offer(): void {
    for (const member of members) schedule.begin(take(member));
  }

  async function take(member: Member): Promise<void> {
    await schedule.step(`${member.name} looks for a job`);
    if (member.isDead || member.isClosing || member.isBusy || !isWaiting || active !== undefined) return;
    isWaiting = false;
    member.isBusy = true;
    const job = { member, lost: new AbortController() };
    active = job;
    await member.serve(job.lost.signal).catch(() => {});
    await schedule.step(`${member.name} is done with its job`);
    if (member.isDead) return;
    member.isBusy = false;
    const isMine = active === job;
    if (isMine) active = undefined;
    if (job.lost.signal.aborted || (member.isClosing && !isMine)) ring();
    else if (isMine && (isKept || member.isClosing)) {
      isKept = false;
      isWaiting = true;
    }
    offer();
  }

  async function stalled(member: Member): Promise<void> {
    await schedule.step(`the lease of ${member.name} runs out`);
    if (held?.member === member) held = undefined;
    await schedule.step(`the job of ${member.name} is taken for stalled`);
    if (active?.member !== member) return;
    active = undefined;
    isWaiting = true;
    offer();
  }

  async function tell(what: string, controller: AbortController): Promise<void> {
    await schedule.step(what);
    controller.abort(new Error(what));
  }

  return {
    wrongs,
    get isIdle() {
      return !isWaiting && active === undefined && held === undefined;
    },
    isLive(member) {
      const lease = leases.get(member);
      return lease !== undefined && isLive(lease);
    },
    lockerOf: (member) => ({
      async withLock(_key, _options, body) {
        await schedule.step(`${member.name} takes the lease`);
        if (member.isDead) return never();
        if (held !== undefined && rules.isExclusive) return { kind: "busy" };
        if (held !== undefined && isLive(held) && !held.member.isDead)
          wrongs.push("two hold the session's lease");
        const mine: Held = {
          member,
          controller: new AbortController(),
          isLive: true,
          liveUntil: Number.POSITIVE_INFINITY,
        };
        held = mine;
        leases.set(member, mine);
        const lease: Lease = { signal: mine.controller.signal, isLive: () => isLive(mine) };
        try {
          return { kind: "done", value: await body(lease) };
        } finally {
          mine.isLive = false;
          await schedule.step(`${member.name} gives the lease back`);
          if (held === mine && !member.isDead) held = undefined;
        }
      },
    }),
    async wake() {
      if (isMute) {
        isMute = false;
        throw new BobbinError("lock_failed", "Redis is away", { retryable: true });
      }
      ring();
    },
    join(member) {
      members.add(member);
      schedule.begin(take(member));
    },
    died(member) {
      members.delete(member);
      schedule.begin(stalled(member));
    },
    loseLease(isTold) {
      if (held === undefined) return;
      const lost = held;
      lost.isLive = false;
      held = undefined;
      if (isTold) schedule.begin(tell(`${lost.member.name} hears that its lease is lost`, lost.controller));
    },
    stall(isTold) {
      if (active === undefined) return;
      const { member, lost } = active;
      active = undefined;
      isWaiting = true;
      if (isTold) schedule.begin(tell(`${member.name} hears that its job is lost`, lost));
      offer();
    },
    flush() {
      isWaiting = isKept = false;
      active = undefined;
      if (held === undefined) return;
      const lost = held;
      lost.liveUntil = clock.ticks() + RENEW_MS;
      held = undefined;
      clock.after(RENEW_MS, () => lost.controller.abort(new Error("the lease was taken away")));
    },
    mute() {
      isMute = true;
    },
  };
}

export function never(): Promise<never> {
  return new Promise<never>(() => {});
}
