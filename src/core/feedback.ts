/** What a person may say of an answer. */

export const FEEDBACK = ["good", "bad"] as const;
export type FeedbackValue = (typeof FEEDBACK)[number];
