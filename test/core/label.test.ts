// What a thread is called, of whatever was said in it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { labelOf } from "../../src/core/label.ts";

test("a title, else the first words, on one line", () => {
  expect(labelOf({ title: "Release", firstText: "hello" })).toBe("Release");
  expect(labelOf({ title: " \n", firstText: "hello\n\tyou" })).toBe("hello you");
  expect(labelOf({ firstText: "\u202e\u0007" })).toBe("New thread");
});

test("what would turn letters around is left out, and what right-to-left languages are written with stays", () => {
  expect(labelOf({ firstText: "Look \u202egpj.exe\u202c here" })).toBe("Look gpj.exe here");
  expect(labelOf({ firstText: "a\u2069b \u2067c" })).toBe("ab \u2067c\u2069");
  expect(labelOf({ firstText: "a \u2069 b" })).toBe("a b");
  const hebrew = "למדו \u2066C++\u2069 היום";
  expect(labelOf({ firstText: hebrew })).toBe(hebrew);
});

test("is never longer than 60 units, and the same when it is made of itself", () => {
  const pieces = fc.constantFrom(
    "word",
    " ",
    "\n",
    "\u2067",
    "\u2066",
    "\u2069",
    "\u202e",
    "ש",
    "😀",
    "x".repeat(30),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const label = labelOf({ firstText: parts.join("") });
      expect(label.length).toBeLessThanOrEqual(60);
      expect(labelOf({ title: label })).toBe(label);
    }),
  );
});
