// Images of a run on their way to the store: the bytes apart, once each, and of the type that they are.
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/adapters/ids.ts";
import type { EntryBody } from "../../../src/core/entry.ts";
import type { ImagePart, Picture } from "../../../src/core/part.ts";
import type { RoundRecord } from "../../../src/core/round.ts";
import { createPictureKeeper } from "../../../src/core/run/keep-pictures.ts";
import { bytesOf, imageOf } from "../../support/pictures.ts";

const reply = (images: readonly ImagePart[]): EntryBody => ({
  v: 1,
  kind: "assistant",
  text: "x",
  calls: [],
  images,
});
const roundWith = (...entries: readonly EntryBody[]): RoundRecord => ({
  round: 1,
  state: "complete",
  entries,
  results: [],
  modelCalls: [],
});
const keep = (...images: readonly ImagePart[]): RoundRecord =>
  createPictureKeeper(sha256).round(roundWith(reply(images)));
const picturesIn = ({ entries }: RoundRecord): readonly Picture[] =>
  entries.flatMap((entry) => ("pictures" in entry ? (entry.pictures ?? []) : []));

describe("an image", () => {
  test.each(["image/png", "image/jpeg", "image/gif", "image/webp"] as const)(
    "of type %s is what its bytes say, whatever is claimed",
    (type) => {
      const image = { ...imageOf("x", undefined, type), mimeType: "text/html" };
      const kept = keep(image);
      expect(picturesIn(kept)).toEqual([
        { mimeType: type, bytes: bytesOf("x", type).length, hash: sha256(image.data) },
      ]);
      expect(kept.pictures).toEqual([{ hash: sha256(image.data), mimeType: type, data: image.data }]);
      expect(JSON.stringify(kept.entries)).not.toContain(image.data);
    },
  );

  test("that is none, is too large or is no base64 is noted and not kept", () => {
    const html = { ...imageOf("x"), data: Buffer.from("<script>alert(1)</script>").toString("base64") };
    const svg = {
      ...imageOf("x"),
      mimeType: "image/svg+xml",
      data: Buffer.from("<svg/>").toString("base64"),
    };
    const large = imageOf("x".repeat(8_000_000));
    const broken = { ...imageOf("x"), data: `${imageOf("x").data}\n"><b>` };
    const kept = keep(html, svg, large, broken);
    expect(kept.pictures).toEqual([]);
    expect(picturesIn(kept).map(({ hash }) => hash)).toEqual([undefined, undefined, undefined, undefined]);
    expect(picturesIn(kept)[1]?.mimeType).toBe("image/svg+xml");
  });

  test.each(["", "=", "=="])(
    "whose base64 ends with %j is the same one, however much padding it needs",
    (end) => {
      for (const text of ["x", "xy", "xyz"]) {
        const image = imageOf(text);
        const letters = image.data.replace(/=+$/, "");
        const kept = keep({ ...image, data: `${letters}${end}` });
        expect(kept.pictures).toEqual([
          { hash: sha256(image.data), mimeType: "image/png", data: image.data },
        ]);
        expect(picturesIn(kept)[0]?.bytes).toBe(bytesOf(text).length);
        expect(keep({ ...image, data: `${letters}==${end}=` }).pictures).toHaveLength(0);
      }
    },
  );

  test("whose base64 was cut within a byte is noted and not kept", () => {
    const whole = Buffer.from(imageOf("xyz").data, "base64");
    const thirds = whole.subarray(0, whole.length - (whole.length % 3)).toString("base64");
    const kept = keep({ ...imageOf("x"), data: `${thirds}A` });
    expect(kept.pictures).toEqual([]);
    expect(picturesIn(kept)).toMatchObject([{ mimeType: "image/png" }]);
    expect(picturesIn(kept)[0]).not.toHaveProperty("hash");
  });

  test("is described on one line, without what a message is made of", () => {
    const [picture] = picturesIn(keep(imageOf("x", `A chart\n[of](x) ${"y".repeat(400)}`)));
    expect(picture?.alt).toMatch(/^A chart of x y+$/);
    expect(picture?.alt?.length).toBeLessThanOrEqual(300);
    expect(picturesIn(keep(imageOf("x", " ")))[0]).not.toHaveProperty("alt");
  });

  test("that the reply and a tool both have is kept once, and of very many only the first", () => {
    const same = imageOf("same");
    const tool: EntryBody = {
      v: 1,
      kind: "tool",
      call: "c",
      name: "t",
      ok: true,
      content: "[image]",
      images: [same],
    };
    const keeper = createPictureKeeper(sha256);
    expect(keeper.round(roundWith(reply([{ ...same }]), tool)).pictures).toHaveLength(1);
    const many = Array.from({ length: 14 }, (_, index) => imageOf(`n${index}`));
    const kept = keep(...many);
    expect(kept.pictures).toHaveLength(10);
    expect(picturesIn(kept).filter(({ hash }) => hash === undefined)).toHaveLength(4);
  });

  test("finds no room where those before it are too many bytes together, unless it is one of them", () => {
    const large = (text: string): ImagePart => imageOf(text.padEnd(7_900_000, "x"));
    const [a, b] = [large("a"), large("b")];
    const kept = keep(a, b, large("c"), { ...a }, imageOf("small"));
    expect(picturesIn(kept).map(({ hash }) => hash)).toEqual([
      sha256(a.data),
      sha256(b.data),
      undefined,
      sha256(a.data),
      sha256(imageOf("small").data),
    ]);
    expect(picturesIn(kept)[2]?.bytes).toBeGreaterThan(7_900_000);
    expect(kept.pictures).toHaveLength(3);
  });

  test("is told to whoever watches as it is stored, and a round without any is left as it is", () => {
    const keeper = createPictureKeeper(sha256);
    const record = roundWith(reply([imageOf("x", "A chart")]));
    const stored = keeper.round(record);
    const event = { kind: "round", round: 1, state: "done", entries: record.entries } as const;
    expect(keeper.event(event)).toMatchObject({ entries: stored.entries });
    const plain = roundWith({ v: 1, kind: "assistant", text: "x", calls: [] });
    expect(keeper.round(plain)).toBe(plain);
  });
});
