import { expectBroken } from "./contract.ts";
import { surfaceCases, surfaceContract, type SurfaceSubject } from "./surface.ts";
import { FakeThread } from "../support/fake-surface.ts";
import { manualClock } from "../support/manual-clock.ts";

function open(surface = new FakeThread({ clock: manualClock() })): {
  readonly subject: SurfaceSubject;
  close(): Promise<void>;
} {
  return {
    subject: {
      surface,
      shown: async () => surface.texts(),
      async deleteByPerson(id) {
        for (const message of surface.messages) if (message.id === id) message.isDeleted = true;
      },
    },
    close: async () => {},
  };
}

surfaceContract("in memory", () => open());

class FindsNothing extends FakeThread {
  override async find(): Promise<string | undefined> {
    return undefined;
  }
}

class CutsLongText extends FakeThread {
  override texts(): string[] {
    return super.texts().map((text) => text.slice(0, 1900));
  }
}

class BringsBack extends FakeThread {
  override async edit(id: string, page: Parameters<FakeThread["edit"]>[1]): ReturnType<FakeThread["edit"]> {
    for (const message of this.messages) if (message.id === id) message.isDeleted = false;
    return super.edit(id, page);
  }
}

expectBroken("finds nothing", surfaceCases, () => open(new FindsNothing({ clock: manualClock() })), {
  noticedBy: ["R19: a message is found by the key of its post, also after edits, and no other is"],
});
expectBroken("shows long text cut", surfaceCases, () => open(new CutsLongText({ clock: manualClock() })), {
  noticedBy: ["the largest page is taken whole, by post and by edit"],
});
expectBroken(
  "brings deleted messages back",
  surfaceCases,
  () => open(new BringsBack({ clock: manualClock() })),
  {
    noticedBy: ["an edit of a message that a person deleted says that it is gone, and brings nothing back"],
  },
);
