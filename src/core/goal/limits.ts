/** What a goal may use, each of it 1 or more. */
export interface Limits {
  readonly tokens: number;
  /** Turns that it begins by itself. */
  readonly turns: number;
  /** In which its turns run, all together. */
  readonly minutes: number;
}
