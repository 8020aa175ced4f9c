/** How much is shown of what a run does, in the order in which each shows more. */

/** `quiet`: one line while tools run; `steps`: a line for each step, which stays; `full`: with what each was given. */
export const VERBOSITIES = ["quiet", "steps", "full"] as const;
export type Verbosity = (typeof VERBOSITIES)[number];
