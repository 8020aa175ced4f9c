// A thread in which one word stands wherever a word can get, put there by the stores that put it there in the product.
import { createBranches } from "../../../src/adapters/postgres/branches.ts";
import { createAnswers } from "../../../src/adapters/postgres/answers.ts";
import { createAudit } from "../../../src/adapters/postgres/admin/audit.ts";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createRemarks } from "../../../src/adapters/postgres/admin/remarks.ts";
import { createFeedbackBook } from "../../../src/adapters/postgres/feedback.ts";
import { createGoalProposals } from "../../../src/adapters/postgres/goal-proposals.ts";
import { createReactionBook } from "../../../src/adapters/postgres/reactions.ts";
import { createThreadPlaces } from "../../../src/adapters/postgres/thread-places.ts";
import { createWebInbox } from "../../../src/adapters/postgres/web-inbox.ts";
import { createWebMessages } from "../../../src/adapters/postgres/web-messages.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { settledBorder } from "../../../src/core/branch/border.ts";
import { DEFAULT_LIMITS } from "../../../src/core/goal/goal.ts";
import type { InboundId } from "../../../src/core/ids.ts";
import type { Author, MessageInbound } from "../../../src/core/inbound.ts";
import type { Reaction } from "../../../src/core/ports/reactions.ts";
import type { Person } from "../../../src/core/ports/sign-ins.ts";
import { threadOf, type SessionId } from "../../../src/core/thread.ts";
import {
  answer,
  asRun,
  command,
  edit,
  message,
  modelCall,
  result,
  round,
  type OpenedRun,
} from "../../contract/store-samples.ts";
import { setGoal } from "../../support/goals.ts";
import { storesOver } from "./store-subject.ts";

export const WORD = "zanzibar7x";
export const ANA: Author = { id: "UANA", name: `Ana ${WORD}` };
export const BEN: Author = { id: "UBEN", name: "Ben" };
export const BOSS: Person = { platform: "slack", space: "T1", person: "UBOSS", name: "Bea" };
export const HAYSTACK = "the heron stays";

let count = 0;
export const newSlackThread = (channel = "C1"): SessionId =>
  `slack:T1:${channel}:171.${String(++count).padStart(4, "0")}` as SessionId;

export type EraseWorld = ReturnType<typeof eraseWorld>;

export function eraseWorld(sql: Sql) {
  const stores = storesOver(sql);
  const { inbox, store } = stores;
  const branches = createBranches(sql);
  const web = createWebMessages(sql);
  const maker = createOverviewMaker(sql);
  const remarks = createRemarks(sql);
  const audit = createAudit(sql);
  const say = (session: SessionId, by: Author, text: string) =>
    message(session, text, { author: by, id: `slack/A1/T1/${session}/message/${++count}` as InboundId });

  /** Ben has chosen a message of Ana's and asks about it. */
  function askedAbout(session: SessionId) {
    const asked = say(session, BEN, `What do you say to this message of ${ANA.name}'s?`);
    return {
      ...asked,
      id: `slack/A1/T1/${session}/message/${++count}-about-${BEN.id}` as InboundId,
      parts: [
        ...asked.parts,
        { kind: "note", text: `This is the message. ${WORD}` },
        { kind: "file", id: WORD, name: `${WORD}.png`, mimeType: "image/png", bytes: 9 },
      ],
    } as const;
  }

  const reactions = createReactionBook(sql);
  /** To something that a person said. @param more given long ago unless said. */
  const react = (to: MessageInbound, by: Author, more: Partial<Reaction> = {}): Promise<void> =>
    reactions.put({
      near: threadOf(to.session),
      message: to.message,
      inbound: to.id,
      kind: "given",
      person: { id: by.id, name: by.name },
      emoji: "tada",
      shown: ":tada:",
      at: 1_700_000_000_000,
      ...more,
    });

  /** A run that calls a tool and answers, each with the text. */
  async function answered(run: OpenedRun, text: string, { isWebPage = false } = {}): Promise<void> {
    const { fence } = run;
    const calls = [{ id: "c1", name: "clock", arguments: JSON.stringify({ of: text }) }];
    const image = { kind: "image", mimeType: "image/png", data: text, name: text } as const;
    const call = modelCall(`call-${fence.run}`, {
      params: JSON.stringify({
        v: 1,
        model: { name: "m" },
        outputTokens: 9,
        caching: false,
        continued: text,
        asked: text,
      }),
      bodyHash: "b",
    });
    const entries = [
      { ...answer(text, calls), images: [image], reasoning: JSON.stringify(text) },
      {
        ...result("c1", text),
        offer: { markdown: text, button: { action: "retry", label: text, value: text } },
      } as const,
    ];
    const results = [{ call: "c1", name: "clock", ok: true, content: `${text} whole` }];
    await store.commitRound(fence, { ...round(1, ...entries), results, modelCalls: [call] });
    if (isWebPage) {
      await stores.pages.put(fence, {
        run: fence.run,
        index: 0,
        key: `k-${fence.run}`,
        message: `k-${fence.run}`,
      });
      const page = {
        markdown: text,
        status: text,
        footer: text,
        steps: [{ id: "1", line: text, state: "done" as const }],
        buttons: [],
      };
      await web.insert({
        session: fence.session,
        id: `k-${fence.run}`,
        from: "bot",
        speaker: "Bobbin",
        page,
      });
    }
    await store.end(fence, {
      reason: "error",
      error: { code: "model_unavailable", message: text },
      note: `the previous turn ended: ${text}`,
      round: round(2, answer(`so ${text}`), { v: 1, kind: "summary", text: `they said ${text}`, upTo: 1 }),
      modelCalls: [],
    });
    await store.settled(fence);
  }

  /** Asked for and opened on the platform, and nothing is copied yet. */
  async function openedBranchOf(session: SessionId) {
    const asked = command(session, { name: "branch" }, { author: ANA });
    const trunk = await branches.look(session);
    const border = trunk && settledBorder(trunk.lines, {});
    if (trunk === undefined || border === undefined) throw new Error("there is no border");
    await branches.put(asked, { rule: "all" }, { ...border, epoch: trunk.epoch, label: trunk.label });
    const to = newSlackThread();
    await branches.opened(asked.id, to);
    return { to, copy: () => branches.copy(asked.id) };
  }

  async function branchOf(session: SessionId): Promise<SessionId> {
    const { to, copy } = await openedBranchOf(session);
    await copy();
    return to;
  }

  /** All of it in one thread of Ana's, and Ben says something of his own in it. */
  async function filled(session = newSlackThread()): Promise<SessionId> {
    const first = say(session, ANA, `tell me of ${WORD}`);
    await inbox.put({
      ...first,
      parts: [
        ...first.parts,
        { kind: "file", id: WORD, name: `${WORD}.pdf`, mimeType: "text/plain" },
        { kind: "note", text: `said before: ${WORD}` },
      ],
    });
    await answered(asRun(await store.open(session, "w")), WORD);
    await inbox.put({ ...edit(first, `no, ${WORD}!`), author: ANA });
    await inbox.put({ ...command(session, { name: "title", value: `About ${WORD}` }), author: ANA });
    await inbox.put(say(session, BEN, HAYSTACK));
    await inbox.put(askedAbout(session));
    const asking = asRun(await store.open(session, "w"));
    const proposed = { id: `p${++count}`, objective: WORD, doneWhen: [WORD], limits: DEFAULT_LIMITS };
    await createGoalProposals(sql).put(session, proposed, asking.fence.run);
    await answered(asking, `Ana spoke of ${WORD}`);
    await stores.goals.apply(
      session,
      setGoal(`go to ${WORD}`, { by: { id: "UANA", isAdmin: false }, owner: ANA, doneWhen: [WORD] }),
      `k${++count}`,
    );
    await createFeedbackBook(sql).give({ session, person: ANA, value: "good", at: 1 });
    await react(first, ANA, { emoji: WORD, shown: `:${WORD}:` });
    await createThreadPlaces(sql).keep(session, { parent: "C1", name: `About ${WORD}` });
    await remarks.add(session, { id: `r${++count}`, kind: "note", text: `${WORD} is private` }, BOSS);
    await remarks.giveReason("browser", session, `because of ${WORD}`);
    await audit.write({ who: BOSS, kind: "reason", session, about: `because of ${WORD}` });
    await audit.write({ who: BOSS, kind: "reason", about: `of "${WORD}" (an export of {})` });
    await audit.write({ who: BOSS, kind: "reason", about: "quarterly audit (an export of {})" });
    await audit.write({ who: BOSS, kind: "export", session, about: "with others, for the reason above" });
    for (const searched of [`tell ${WORD.toUpperCase()}`, `"${WORD}"`, `${WORD}?`, `(${WORD})`])
      await audit.write({ who: BOSS, kind: "search", about: searched });
    const { channel } = threadOf(session);
    const owed = { platform: "slack", space: "T1", place: WORD, text: `the title is ${WORD}` } as const;
    await createAnswers(sql).owe({
      ...owed,
      command: `slack/A1/T1/${channel}/command/${++count}` as InboundId,
    });
    await maker.make(session);
    return session;
  }

  /** The web chat's own rows. */
  async function filledWebThread(): Promise<SessionId> {
    const session = `web:local:general:w${++count}` as SessionId;
    const inbound = message(session, `tell me of ${WORD}`, { author: ANA });
    const page = { markdown: `tell me of ${WORD}`, buttons: [] };
    await createWebInbox(sql).put({ session, id: "m1", speaker: ANA.name, page }, inbound, { rule: "all" });
    await answered(asRun(await store.open(session, "w")), WORD, { isWebPage: true });
    return session;
  }

  return {
    sql,
    stores,
    web,
    maker,
    erasures: createErasures(sql),
    say,
    react,
    answered,
    openedBranchOf,
    branchOf,
    filled,
    filledWebThread,
  };
}
