// The three kinds of tests, by where they lie. They run in this order, so that the long ones do not come last.

/** Processes, servers and browsers that start and die. */
export const WHOLE = ["test/flow/**/*.test.ts", "test/ground/**/*.test.ts", "test/queue/**/*.test.ts"];
/** What leaves nothing behind in its process, neither handlers nor changed globals: files of this kind share one. */
export const PURE = [
  "test/core/**/*.test.ts",
  "test/contract/**/*.test.ts",
  "test/{chaos,soak}/**/*.test.ts",
];
