// What is looked at again and again in a soak, by its name.

export type Figures = Readonly<Record<string, number>>;

/** All figures of one moment. */
export interface Sample {
  /** Since the load began. */
  readonly atMs: number;
  /** By whose they are: a process of the product by its place, `Postgres`, `Redis`, `load`. */
  readonly of: Readonly<Record<string, Figures>>;
}

/** In the environment: where the processes write their figures. */
export const FIGURES_FOLDER = "SOAK_FIGURES";
