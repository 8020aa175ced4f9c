/** The colours of code, as classes: which words are of which kind. Nothing is loaded for it, and what it does not know stays plain. */

import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { keepNewest } from "../../core/keep-newest.ts";

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** What is longer, or has such a line, is shown without colours: a bound on what a page can cost. */
const LONGEST = 10_000;
const LONG_LINE = /[^\n]{500}/;
/** Code that was coloured lately: an answer that grows is shown again and again with the blocks that it had. */
const KEPT = 200;
const kept = new Map<string, string>();

/** HTML of nothing but the text, escaped, in `span`s with a class; undefined where there are no colours. Never throws. */
export function colouredCode(text: string, language: string): string | undefined {
  if (language === "" || highlighter.getLanguage(language) === undefined) return undefined;
  if (text.length > LONGEST || LONG_LINE.test(text)) return undefined;
  const key = `${language}\n${text}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  try {
    const { value } = highlighter.highlight(text, { language, ignoreIllegals: true });
    keepNewest(kept, key, value, KEPT);
    return value;
  } catch {
    return undefined;
  }
}
