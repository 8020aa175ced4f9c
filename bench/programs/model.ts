/** The model server as a process; tells its address. */

import { startModelServer } from "../model-server.ts";
import { serveQuestions } from "../program.ts";

export interface ModelQuestion {
  /** The way of `told` from now on. */
  readonly way?: string;
}

export interface ModelAnswer {
  /** To be followed by a way. */
  readonly url: string;
}

const server = await startModelServer();
serveQuestions<ModelQuestion>(({ way }): Promise<ModelAnswer> => {
  if (way !== undefined) server.tell(way);
  return Promise.resolve({ url: server.url("") });
});
