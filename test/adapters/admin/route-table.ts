// Every route of the admin pages, and who may what there. A route without a line here fails the access matrix.

/** The thread that the matrix is about. */
export const SESSION = "slack:T1:C1:171.5";
export const PATH = `/admin/threads/${encodeURIComponent(SESSION)}`;

/** Of another thread of the same space, which was erased; and what keeps that of the matrix. */
export const ERASURE = "erasure1";
export const HOLD = "hold1";

export interface Ids {
  /** Of the viewer's own browser. */
  readonly own: string;
  /** Of a run of the thread. */
  readonly run: string;
}

/** One route: who may, and what they get. What is mounted, or takes every method (`ALL`), is one as well. */
export interface Row {
  /**
   * `anybody`: nothing of a thread is on it. `operators`: whoever runs the bot; for other admins it is not there. The others: whoever is
   * signed in, of their own space.
   */
  readonly may: "anybody" | "viewers" | "admins" | "operators";
  /** Its path names a thread of the first space, which is unknown in another. */
  readonly isOfThread?: true;
  readonly path: (ids: Ids) => string;
  /** Of a form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What whoever may gets. Default 200, of a form 303; 404 where the path names something that is not there. */
  readonly done?: number;
  /** Whoever does it is out afterwards. */
  readonly isLast?: true;
}

const at =
  (path: string): Row["path"] =>
  () =>
    path;

export const ROUTES: Readonly<Record<string, Row>> = {
  "GET /admin/assets/:name": { may: "anybody", path: at("/admin/assets/admin.css") },
  "GET /admin/in/:secret": { may: "anybody", path: at(`/admin/in/${"x".repeat(43)}`) },
  "POST /admin/in/:secret": { may: "anybody", path: at(`/admin/in/${"x".repeat(43)}`) },
  "GET /admin/sign-in": { may: "anybody", path: at("/admin/sign-in") },
  "GET /admin/with/:platform": { may: "anybody", path: at("/admin/with/nowhere") },
  "GET /admin/with/:platform/back": { may: "anybody", path: at("/admin/with/nowhere/back?code=x&state=y") },
  "POST /admin/here": { may: "anybody", path: at("/admin/here") },
  "ALL /admin/*": { may: "viewers", path: at("/admin/nothing"), done: 404 },
  "POST /admin/out": { may: "viewers", path: at("/admin/out"), isLast: true },
  "GET /admin/browsers": { may: "viewers", path: at("/admin/browsers") },
  "POST /admin/browsers": { may: "viewers", path: at("/admin/browsers") },
  "POST /admin/browsers/:id/all": { may: "admins", path: at("/admin/browsers/none/all"), done: 404 },
  "POST /admin/browsers/:id": { may: "viewers", path: ({ own }) => `/admin/browsers/${own}`, isLast: true },
  "POST /admin/threads/:id/reason": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/reason`),
    fields: { reason: "r" },
  },
  "POST /admin/threads/:id/remarks": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/remarks`),
    fields: { kind: "note", text: "t" },
  },
  "POST /admin/threads/:id/remarks/:remark/assign": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/remarks/x/assign`),
    done: 404,
  },
  "POST /admin/threads/:id/remarks/:remark/resolve": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/remarks/x/resolve`),
    done: 404,
  },
  "POST /admin/threads/:id/export": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/export`),
    fields: { format: "jsonl" },
    done: 200,
  },
  "GET /admin/export": { may: "viewers", path: at("/admin/export") },
  "GET /admin/export/live": { may: "viewers", path: at("/admin/export/live") },
  "POST /admin/export": {
    may: "viewers",
    path: at("/admin/export"),
    fields: { format: "jsonl", reason: "r" },
    done: 200,
  },
  "GET /admin/refusals": { may: "viewers", path: at("/admin/refusals") },
  "POST /admin/threads/:id/review/assign": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/review/assign`),
  },
  "POST /admin/threads/:id/review/done": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/review/done`),
  },
  "GET /admin/audit": { may: "admins", path: at("/admin/audit") },
  "GET /admin/erasures": { may: "admins", path: at("/admin/erasures") },
  "GET /admin/erasures/person": { may: "admins", path: at("/admin/erasures/person?person=U7") },
  "POST /admin/erasures/person": {
    may: "admins",
    path: at("/admin/erasures/person"),
    fields: { person: "UNONE", reason: "r", sure: "yes" },
    done: 404,
  },
  "GET /admin/erasures/:id": { may: "admins", isOfThread: true, path: at(`/admin/erasures/${ERASURE}`) },
  "GET /admin/erasures/:id/proof.json": {
    may: "admins",
    isOfThread: true,
    path: at(`/admin/erasures/${ERASURE}/proof.json`),
  },
  "GET /admin/threads/:id/erase": { may: "admins", isOfThread: true, path: at(`${PATH}/erase`) },
  // It is held.
  "POST /admin/threads/:id/erase": {
    may: "admins",
    isOfThread: true,
    path: at(`${PATH}/erase`),
    fields: { reason: "r", sure: "yes" },
    done: 409,
  },
  "POST /admin/holds": {
    may: "admins",
    path: at("/admin/holds"),
    fields: { kind: "thread", subject: SESSION, reason: "r" },
    done: 400,
  },
  "POST /admin/holds/:id/lift": { may: "admins", path: at("/admin/holds/none/lift"), done: 404 },
  "GET /admin/usage": { may: "admins", path: at("/admin/usage") },
  "GET /admin/usage/:file{[a-z]+\\.csv}": { may: "admins", path: at("/admin/usage/people.csv") },
  "GET /admin/queues/*": { may: "operators", path: at("/admin/queues/") },
  "GET /admin/operations": { may: "admins", path: at("/admin/operations") },
  "GET /admin/operations/live": { may: "admins", path: at("/admin/operations/live") },
  "POST /admin/operations/retry": { may: "admins", path: at("/admin/operations/retry"), done: 404 },
  "GET /admin": { may: "viewers", path: at("/admin/") },
  "GET /admin/threads/:id": { may: "viewers", isOfThread: true, path: at(PATH) },
  "GET /admin/threads/:id/live": { may: "viewers", isOfThread: true, path: at(`${PATH}/live`) },
  "GET /admin/threads/:id/calls/:call": {
    may: "viewers",
    isOfThread: true,
    path: ({ run }) => `${PATH}/calls/c${run}`,
  },
  "GET /admin/threads/:id/results/:run/:round/:call": {
    may: "viewers",
    isOfThread: true,
    path: ({ run }) => `${PATH}/results/${run}/1/none`,
    done: 404,
  },
  "GET /admin/threads/:id/entries/:epoch/:seq": {
    may: "viewers",
    isOfThread: true,
    path: at(`${PATH}/entries/1/1`),
  },
};

export const isForm = (route: string): boolean => !/^(GET|HEAD|ALL) /.test(route);
