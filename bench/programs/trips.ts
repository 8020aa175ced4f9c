/** Makes the bare round trips, as a process of its own beside the product's. */

import { openBareTrips } from "../first-request-reference.ts";
import { serveQuestions } from "../program.ts";

const at = JSON.parse(process.argv[2] ?? "{}") as Parameters<typeof openBareTrips>[0];
const { measure } = await openBareTrips(at);
serveQuestions<object>(measure);
