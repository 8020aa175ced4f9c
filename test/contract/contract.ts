// A contract is a list of cases, each a sentence about a port that every implementation keeps. The list is data, so that it
// runs over each implementation, and also over broken ones: a suite that a broken implementation passes proves nothing.
import { describe, expect, test } from "vitest";

export interface ContractCase<S> {
  readonly title: string;
  /** Throws (an assertion) when the subject breaks the sentence. Each case gets a fresh subject. */
  run(subject: S): Promise<void>;
}

/** What `open` answers: something that disposes of itself, or the subject beside what closes it. */
export type OpenedSubject<S> = (S & AsyncDisposable) | { readonly subject: S; close(): Promise<void> };

export type OpenSubject<S> = () => OpenedSubject<S> | Promise<OpenedSubject<S>>;

/** One test per case over the implementation that `open` makes. */
export function runContract<S>(name: string, cases: readonly ContractCase<S>[], open: OpenSubject<S>): void {
  describe(name, () => {
    for (const each of cases) test(each.title, () => runCase(each, open));
  });
}

export interface BrokenOptions {
  /** Titles of the cases that have to notice; without them any case will do. */
  readonly noticedBy?: readonly string[];
  /** A case that takes longer than this has noticed: a broken implementation may never settle. 2,000 ms unless said. */
  readonly limitMs?: number;
}

/** One test: the broken implementation fails the cases that should notice, or at least one. */
export function expectBroken<S>(
  name: string,
  cases: readonly ContractCase<S>[],
  open: OpenSubject<S>,
  options: BrokenOptions = {},
): void {
  const { noticedBy, limitMs = 2_000 } = options;
  test(`the contract notices an implementation that ${name}`, async () => {
    const unknown = noticedBy?.filter((title) => !cases.some((each) => each.title === title)) ?? [];
    expect(unknown, "titles that no case has").toEqual([]);
    const noticing: string[] = [];
    for (const each of cases) {
      if (noticedBy !== undefined && !noticedBy.includes(each.title)) continue;
      if (!(await passes(each, open, limitMs))) noticing.push(each.title);
      if (noticedBy === undefined && noticing.length > 0) break;
    }
    if (noticedBy === undefined) expect(noticing.length, "cases that noticed").toBeGreaterThan(0);
    else expect(noticing).toEqual(cases.map((each) => each.title).filter((t) => noticedBy.includes(t)));
  });
}

async function runCase<S>(each: ContractCase<S>, open: OpenSubject<S>): Promise<void> {
  const opened = await open();
  const [subject, close] = unpack(opened);
  try {
    await each.run(subject);
  } finally {
    await close();
  }
}

function unpack<S>(opened: OpenedSubject<S>): readonly [S, () => Promise<void>] {
  if (hasClose(opened)) return [opened.subject, () => opened.close()];
  return [opened, async () => opened[Symbol.asyncDispose]()];
}

function hasClose<S>(opened: OpenedSubject<S>): opened is { readonly subject: S; close(): Promise<void> } {
  return typeof opened === "object" && opened !== null && "subject" in opened && "close" in opened;
}

async function passes<S>(each: ContractCase<S>, open: OpenSubject<S>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const outcome = runCase(each, open).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([outcome, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
