// The kinds of tests, by where they lie. They run in this order, so that the long ones do not come last.

/** Processes, servers and browsers that start and die. */
export const WHOLE = ["test/flow/**/*.test.ts", "test/ground/**/*.test.ts", "test/queue/**/*.test.ts"];
/**
 * Over local servers within the test, and nothing that outlives a test: files of this kind share processes, since one of its own is
 * more than a second of reading packages.
 */
export const SHARING = [
  "test/adapters/{slack,discord,openai,local,tools,http,demo}/**/*.test.ts",
  "test/adapters/*.test.ts",
];
/** What leaves nothing behind in its process, neither handlers nor changed globals: files of this kind share them too. */
export const PURE = [
  "test/core/**/*.test.ts",
  "test/contract/**/*.test.ts",
  "test/{chaos,soak}/**/*.test.ts",
];
