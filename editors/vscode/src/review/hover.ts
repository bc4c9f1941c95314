// The hover of a hunk: what was removed or is proposed, its problems, and links that decide it.
//
// Contract: made when it is asked for. Texts of the repository stand in a code block that they cannot end; only our own commands are
// trusted.

import type { HunkProblem } from "copydesk-protocol";
import type { HoverProvider, Position, TextDocument } from "vscode";
import { Hover, MarkdownString, Range } from "vscode";
import { oneLine } from "../sessions/partText";
import { absentSide, shownLines } from "./hunkLines";
import type { PlacedHunk } from "./places";
import { hunkAt } from "./places";
import type { Reviews } from "./reviews";

/** How many lines a hover shows. */
const MAX_LINES = 40;

export const hoverCommands = ["copydesk.review.accept", "copydesk.review.reject", "copydesk.review.comment"] as const;

/** A code block that the text cannot end. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** Text as Markdown that shows it literally. */
export function literal(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, "\\$&");
}

function problemLine({ severity, source, code, message }: HunkProblem): string {
  return `- **${severity}** ${literal(message)} (${literal(code === undefined ? source : `${source} ${code}`)})`;
}

export function hunkMarkdown(one: PlacedHunk): MarkdownString {
  const { review, hunk } = one;
  const argument = encodeURIComponent(JSON.stringify([{ hunk: hunk.hunk }]));
  const link = (title: string, command: string) => `[${title}](command:${command}?${argument})`;
  const [accept, reject, comment] = hoverCommands;
  const links = [link("Accept", accept), link("Reject", reject), link("Comment", comment)].join(" · ");
  const absent = absentSide(review, hunk);
  const sign = review.when === "after" ? "-" : "+";
  const block = codeBlock(shownLines(absent, MAX_LINES).map((line) => `${sign}${line}`).join("\n"), "diff");
  const text = absent.count === 0 ? "" : `${review.when === "after" ? "Removed:" : "Proposed:"}\n${block}`;
  const problems = (hunk.problems ?? []).map(problemLine).join("\n");
  const markdown = new MarkdownString([`**Copydesk** ${links}`, text, problems].filter(Boolean).join("\n\n"));
  markdown.isTrusted = { enabledCommands: hoverCommands };
  return markdown;
}

export class HunkHover implements HoverProvider {
  constructor(private readonly reviews: Reviews) {}

  provideHover(document: TextDocument, position: Position): Hover | undefined {
    const one = hunkAt(this.reviews.placed(document), position.line, document.lineCount);
    if (!one) {
      return undefined;
    }
    return new Hover(hunkMarkdown(one), new Range(position.line, 0, position.line, document.lineAt(position.line).text.length));
  }
}
