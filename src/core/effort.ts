/** How much a model may be told to think before it answers, in words that people choose from. */

export const EFFORTS = ["low", "medium", "high"] as const;

export type Effort = (typeof EFFORTS)[number];
