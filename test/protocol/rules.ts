// The rules that the protocol is made of. Each can be left out, to see what it is there for.

export interface Rules {
  /** A write of an attempt is refused once another has claimed the session (`fenced`, `judgeHeld`). */
  readonly fence: boolean;
  /** Who works on a session hears of a later claim within a lease time, whatever its lease says (`hold`). */
  readonly touch: boolean;
  /** Two never hold a session's lease at a time (`locker`). */
  readonly lease: boolean;
  /** No platform write starts after the local deadline, which is never later than the one in Redis (`lease`, DESIGN 2.3). */
  readonly deadline: boolean;
  /** The lease of a dead worker has ended when its job is taken up (`lock-times`). */
  readonly leaseIsShorter: boolean;
  /** Whoever gave the lease back looks at the ledger once more (`serve-session`). */
  readonly look: boolean;
  /** A wake that comes while the session's job is active becomes a job when that one ends (`run-queue`). */
  readonly keepsWake: boolean;
  /** Somebody rings for what lies in the ledger and was not rung for (`sweeper`). */
  readonly sweeper: boolean;
  /** Who cannot give its job back rings instead (`queue/worker`). */
  readonly handOverRings: boolean;
  /** The bell is rung once the message is stored (`intake`). */
  readonly storeBeforeWake: boolean;
  /** The platform is told that we have a message once it is stored (`intake`). */
  readonly storeBeforeAck: boolean;
  /** A claim goes on from the last stored round; an answer that is stored is not asked for again (`open-run`, `resume`). */
  readonly resume: boolean;
  /** A claim takes the reply that is settling before anything else (`open-run`). */
  readonly settlingFirst: boolean;
  /** `end` takes in what came before it, and says so (`end-run`). */
  readonly endTakesIn: boolean;
  /** `open`, `commitRound` and `end` leave out what lies below the stop (`isDropped`). */
  readonly dropAtOpen: boolean;
  readonly dropAtCommit: boolean;
  readonly dropAtEnd: boolean;
  /** A claim and a commit notice that the run was stopped (`isStopped`). */
  readonly stopAtOpen: boolean;
  readonly stopAtCommit: boolean;
  /** What was said before a stop and comes behind it, as the platform sends it again, is stored as cancelled (`inbox-put`). */
  readonly stopHasTime: boolean;
  /** Who hears a stop asks the ledger whether it was meant (`run-signal`). */
  readonly stopIsPosition: boolean;
  /** An attempt has ended when its final pages stand, or when it said that it leaves; not with its run (`end-run`, `settled`). */
  readonly attemptLasts: boolean;
  /** Who leaves in order waits for its write under way first (`writer.stop`). */
  readonly leaveWaits: boolean;
  /** That an attempt died is known to every claim of the next lease time, not only to the first (`open-run`). */
  readonly crashIsRemembered: boolean;
  /** After a takeover the final pages are written once more when no older write can land any more (`writer.finish`). */
  readonly settleAgain: boolean;
  /** A second post with a key is the first one (`surface.post`). */
  readonly keysMerge: boolean;
}

export const allRules: Rules = {
  fence: true,
  touch: true,
  lease: true,
  deadline: true,
  leaseIsShorter: true,
  look: true,
  keepsWake: true,
  sweeper: true,
  handOverRings: true,
  storeBeforeWake: true,
  storeBeforeAck: true,
  resume: true,
  settlingFirst: true,
  endTakesIn: true,
  dropAtOpen: true,
  dropAtCommit: true,
  dropAtEnd: true,
  stopAtOpen: true,
  stopAtCommit: true,
  stopHasTime: true,
  stopIsPosition: true,
  attemptLasts: true,
  leaveWaits: true,
  crashIsRemembered: true,
  settleAgain: true,
  keysMerge: true,
};

/** What can go wrong by itself. */
export type Fault =
  /** A worker is killed. */
  | "crash"
  /** A worker is paused past its lease, and goes on afterwards. */
  | "pause"
  /** The queue takes a job for stalled though its worker lives. */
  | "stall"
  /** A worker is told to end. */
  | "shutdown"
  /** Redis is emptied. */
  | "flush"
  /** A bell cannot be rung. */
  | "mute"
  /** The process that takes messages in is killed. */
  | "gateway";
