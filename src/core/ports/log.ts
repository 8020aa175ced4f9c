/** The log. Secrets never reach it: the implementation masks known values, callers give facts and not payloads. */

export type Facts = Readonly<Record<string, unknown>>;

/** `message` is a constant sentence; what varies stands in `facts` (`error` may be an Error). Never throws. */
export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
  /** The same log with facts that stand in every line. */
  with(facts: Facts): Log;
}
