// What a piece of work costs this thread. On a busy machine the clock on the wall measures others as well.

/** Processor time of this thread for `work`, ms. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
