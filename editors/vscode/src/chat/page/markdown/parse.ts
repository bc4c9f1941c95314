// Parses Markdown with markdown-it.
//
// Contract: HTML is off: a tag in a text is text. Only http, https and mailto links stay links; a link without a scheme is a path in the
// workspace. Nesting is limited by the parser itself.

import MarkdownIt, { type Token } from "markdown-it";
import { cutLines } from "./blocks";

const parser = new MarkdownIt("default", { html: false, linkify: true, typographer: false, breaks: false });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// The page judges links itself: what the parser refuses would show as brackets.
parser.validateLink = () => true;

export type LinkTarget = { kind: "web"; href: string } | { kind: "place"; path: string; line?: number } | undefined;

/** Where a link leads; undefined if it leads nowhere that is safe. */
export function linkTarget(href: string): LinkTarget {
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) {
    return { kind: "web", href };
  } else if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//") || href.startsWith("\\\\") || href.startsWith("#")) {
    return undefined;
  }
  const [, path = "", line] = /^([^#?]+?)(?:#L(\d+).*|:(\d+).*)?$/.exec(href) ?? [];
  const number = line ?? /^[^#?]+?:(\d+)/.exec(href)?.[1];
  try {
    return path === "" ? undefined : { kind: "place", path: decodeURIComponent(path), ...(number ? { line: Number(number) } : {}) };
  } catch {
    return undefined;
  }
}

export function parseMarkdown(source: string): Token[] {
  return parser.parse(cutLines(source), {});
}
