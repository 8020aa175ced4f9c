/** Erasing a thread or a person, in two steps; the proof of it; and legal holds. For admins. */

import type { Hono } from "hono";
import { html } from "hono/html";
import type { Eraser } from "../../core/admin/eraser.ts";
import type { NewId } from "../../core/ids.ts";
import { pause } from "../../core/pause.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { ErasedThing, Erasures } from "../../core/ports/erasures.ts";
import type { HeldThing, Hold, Holds } from "../../core/ports/holds.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import { threadOf, toSessionId, type SessionId } from "../../core/thread.ts";
import { aroundOf } from "./around.ts";
import { confirmBody, erasureBody, erasuresBody, holdFormOf } from "./pages/erase.ts";
import { page, type Markup } from "./pages/layout.ts";
import { threadPathOf } from "./pages/paths.ts";
import { shown } from "./shown.ts";
import { problem, textIn } from "./typed.ts";
import { onlyAdmins, type AdminContext, type AdminEnv } from "./viewer.ts";

export interface EraseDeps {
  readonly eraser: Pick<Eraser, "erase" | "done">;
  readonly erasures: Pick<Erasures, "list" | "get" | "ofThread">;
  readonly holds: Holds;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly newId: NewId;
}

const SHOWN = 200;
/** So long the page waits for a small one; of a large one its page says how far it is. */
const WAITS_MS = 8_000;

/** With a thread of the viewer's space, what it is called and the page that shows it, or the answer that there is none such. */
export type WithStored = (
  c: AdminContext,
  work: (session: SessionId, name: string, page: string) => Promise<Response>,
) => Promise<Response>;

/** @param stored to erase a thread nobody needs to read it. */
export function routeErase(app: Hono<AdminEnv>, deps: EraseDeps, stored: WithStored): void {
  const { eraser, erasures, holds, audit, newId } = deps;
  const admins = onlyAdmins(deps);

  app.get("/erasures", admins, async (c) => {
    const { who } = c.get("viewer");
    await audit.write({ who, kind: "erasures" });
    const [erased, held] = await Promise.all([erasures.list(who, SHOWN), holds.list(who, SHOWN)]);
    return answer(c, "Erasing and holds", erasuresBody(erased, held, c.get("csrf")));
  });

  app.get("/erasures/person", admins, async (c) => {
    const person = personIn(c.req.query("person"), c.get("viewer").who);
    if (person === undefined) return unreadable(c, NO_PERSON);
    const around = { action: "/admin/erasures/person", csrf: c.get("csrf"), back: "/admin/erasures" };
    return answer(c, "Erase a person", confirmBody({ kind: "person", subject: person }, "", around));
  });

  app.post("/erasures/person", admins, async (c) => {
    const form = await c.req.parseBody();
    const person = personIn(form["person"], c.get("viewer").who);
    if (person === undefined) return unreadable(c, NO_PERSON);
    return erase(c, { kind: "person", subject: person }, form);
  });

  app.get("/threads/:id/erase", admins, (c) =>
    stored(c, async (session, name, back) => {
      const action = `${threadPathOf(session)}/erase`;
      const csrf = c.get("csrf");
      const thing: ErasedThing = { kind: "thread", subject: session };
      const confirm = confirmBody(thing, name, { action, csrf, back });
      return answer(c, "Erase a thread", html`${confirm} ${holdFormOf(session, csrf)}`);
    }),
  );

  app.post("/threads/:id/erase", admins, (c) =>
    stored(c, async (session) => erase(c, { kind: "thread", subject: session }, await c.req.parseBody())),
  );

  app.get("/erasures/:id", admins, async (c) => {
    const { who } = c.get("viewer");
    const found = await erasures.get(who, c.req.param("id"));
    if (found === undefined) return unknown(c);
    await audit.write({ who, kind: "erasures", about: found.id });
    return answer(c, "An erasure", erasureBody(found));
  });

  app.get("/erasures/:id/proof.json", admins, async (c) => {
    const { who } = c.get("viewer");
    const found = await erasures.get(who, c.req.param("id"));
    if (found === undefined) return unknown(c);
    await audit.write({ who, kind: "export", about: `proof of erasure ${found.id}` });
    c.header("Cache-Control", "no-store, private");
    c.header("Content-Disposition", `attachment; filename="erasure-${found.id}.json"`);
    const body = JSON.stringify({ version: 1, ...found }, undefined, 2);
    return c.body(body, 200, { "Content-Type": "application/json; charset=utf-8" });
  });

  app.post("/holds", admins, async (c) => {
    const { who } = c.get("viewer");
    const form = await c.req.parseBody();
    const thing = heldIn(form["kind"], form["subject"], who);
    const reason = await textIn(c, "reason");
    if (thing === undefined)
      return unreadable(
        c,
        "Say what is to be held: the whole id of a thread of this space, or a person's id, such as U012AB3CD on Slack or 80351110224678912 on Discord.",
      );
    if (reason === undefined) return unreadable(c, "Say why it is held, in 4,000 letters at most.");
    const about = `${thing.kind} ${thing.subject}`;
    await audit.write({ who, kind: "hold", about, ...sessionOf(thing) });
    if (!(await holds.set(newId(), thing, reason, who))) {
      await audit.write({
        who,
        kind: "refused",
        about: `hold: ${about} is held already`,
        ...sessionOf(thing),
      });
      return unreadable(c, "That is held already.");
    }
    return c.redirect("/admin/erasures", 303);
  });

  app.post("/holds/:id/lift", admins, async (c) => {
    const { who } = c.get("viewer");
    const id = c.req.param("id");
    await audit.write({ who, kind: "lift", about: id });
    if (!(await holds.lift(id, who))) {
      await audit.write({ who, kind: "refused", about: `lift: no hold ${id} stands` });
      return unknown(c);
    }
    return c.redirect("/admin/erasures", 303);
  });

  async function erase(
    c: AdminContext,
    thing: ErasedThing,
    form: Readonly<Record<string, unknown>>,
  ): Promise<Response> {
    const reason = await textIn(c, "reason");
    if (reason === undefined || form["sure"] !== "yes")
      return unreadable(c, "Say why it is erased, in 4,000 letters at most, and that you are sure.");
    const begun = await eraser.erase(thing, reason, c.get("viewer").who);
    switch (begun.kind) {
      case "held":
        return problem(c, "Held", sentenceOf(begun.hold), 409);
      case "nothing":
        return problem(c, "Nothing to erase", "Nothing of that is stored in this space.", 404);
      case "begun":
        await Promise.race([eraser.done(begun.id), pause(deps.clock, WAITS_MS)]);
        return c.redirect(`/admin/erasures/${begun.id}`, 303);
      default:
        return begun satisfies never;
    }
  }
}

function sentenceOf({ kind, subject, name }: Hold): string {
  const what = kind === "space" ? "The whole space is" : `The ${kind} ${subject} is`;
  return `${what} under a legal hold that ${name} has set, so nothing was erased. Lift the hold first, on the page Erasing and holds.`;
}

async function answer(c: AdminContext, title: string, body: Markup): Promise<Response> {
  return shown(c, page(aroundOf(c), "erasures", title, body));
}

async function unreadable(c: AdminContext, sentence: string): Promise<Response> {
  return problem(c, "Not done", sentence, 400);
}

async function unknown(c: AdminContext): Promise<Response> {
  return problem(c, "Not found", "There is no such thing in this space.", 404);
}

/** As the web chat makes them, and platforms: a name, or an id in small letters, would stand for nobody without a word. */
const PERSON: Readonly<Record<Person["platform"], RegExp>> = {
  slack: /^[A-Z][A-Z0-9]{0,63}$/,
  discord: /^\d{1,20}$/,
  web: /^[A-Za-z0-9._-]{1,64}$/,
};
const NO_PERSON =
  "Give the person's id on the platform: such as U012AB3CD on Slack, or 80351110224678912 on Discord.";

function personIn(given: unknown, { platform }: Person): string | undefined {
  const text = typeof given === "string" ? given.trim() : "";
  return PERSON[platform].test(text) ? text : undefined;
}

function heldIn(kind: unknown, subject: unknown, who: Person): HeldThing | undefined {
  const { platform, space } = who;
  if (kind === "space") return { kind, subject: space };
  if (kind === "person") {
    const person = personIn(subject, who);
    return person === undefined ? undefined : { kind, subject: person };
  }
  const session = kind === "thread" && typeof subject === "string" ? toSessionId(subject.trim()) : undefined;
  if (session === undefined) return undefined;
  const thread = threadOf(session);
  return thread.platform === platform && thread.space === space
    ? { kind: "thread", subject: session }
    : undefined;
}

function sessionOf({ kind, subject }: HeldThing): {
  readonly session?: SessionId;
} {
  const session = kind === "thread" ? toSessionId(subject) : undefined;
  return session === undefined ? {} : { session };
}
