// Colours code with highlight.js, through lowlight, which gives a tree instead of markup.
//
// Contract: the languages are registered at the first use. Code that is long or whose language is unknown stays plain.

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
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

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
  lua,
  makefile,
  markdown,
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

/** Longer code stays plain: colouring it would stop the page. */
const MAX_COLOURED = 30_000;

type Root = ReturnType<ReturnType<typeof createLowlight>["highlight"]>;
export type CodeNode = Root["children"][number];

let colourer: ReturnType<typeof createLowlight> | undefined;

/** The coloured tree of a code; undefined if it stays plain. */
export function highlightCode(code: string, language: string): CodeNode[] | undefined {
  if (code.length > MAX_COLOURED || language === "") {
    return undefined;
  }
  colourer ??= createLowlight(LANGUAGES);
  const name = language.toLowerCase();
  return colourer.registered(name) ? colourer.highlight(name, code).children : undefined;
}
