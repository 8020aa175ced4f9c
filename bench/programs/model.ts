/** The model server as a process; tells its address. */

import { startModelServer } from "../model-server.ts";
import { serveQuestions } from "../program.ts";

const server = await startModelServer();
serveQuestions<object>(() => Promise.resolve({ url: server.url("") }));
