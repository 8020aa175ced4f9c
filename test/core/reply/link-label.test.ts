import { expect, test } from "vitest";
import { isFalseLabel } from "../../../src/core/reply/link-label.ts";

test.each([
  ["another address", "https://bank.example", "https://evil.example/"],
  ["a bare host", "bank.com/login", "https://evil.example/"],
  ["a bare host among words", "log in at bank.co.uk now", "https://evil.example/"],
  ["a bare host that only begins as the real one", "evil.example.com", "https://evil.example/"],
  ["a name before the real host", "https://bank.com@evil.example/", "https://evil.example/"],
  ["a bare host with a sign in it that nobody sees", "bank\u200b.c\u00adom", "https://evil.example/"],
  ["an address for mail to somebody", "https://bank.com/login", "mailto:eve@evil.example"],
  ["another mail address", "ana@bank.com", "mailto:eve@evil.example"],
  ["a mail address for a page", "ana@bank.com", "https://evil.example/"],
])("a label is false that shows %s", (_, label, address) => {
  expect(isFalseLabel(label, address)).toBe(true);
});

test.each([
  ["words", "the docs", "https://example.org/a"],
  ["its own host", "Example.org/b", "https://www.example.org/a"],
  ["its own host with a port", "https://example.org:8080", "https://example.org:8080/a"],
  ["itself, with another address in it", "https://a.org/?to=b.com", "https://a.org/?to=b.com"],
  ["its own mail address", "ana@bank.com", "mailto:ana@bank.com?subject=b.com"],
  ["a file", "src/core/app.ts and README.md", "https://code.example/a"],
  ["a name of code", "os.path.join, Node.js, v1.2.3, e.g. System.Text.Json", "https://docs.example/a"],
])("a label may show %s", (_, label, address) => {
  expect(isFalseLabel(label, address)).toBe(false);
});
