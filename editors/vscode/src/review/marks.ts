// How hunks look in an editor: which ranges get which decoration.
//
// Contract: pure. What is drawn depends only on the hunk, its place and the text of its lines.

import type { HunkInfo } from "copydesk-protocol";
import type { DecorationOptions, TextDocument } from "vscode";
import { Range } from "vscode";
import { oneLine } from "../sessions/partText";
import type { PlacedHunk } from "./places";

export const markKinds = ["added", "changed", "removedAbove", "removedBelow", "word", "proposed", "proposedHere"] as const;
export type MarkKind = (typeof markKinds)[number];
export type Marks = Record<MarkKind, DecorationOptions[]>;

/** The columns of a range that is given in bytes of a line. */
function columnsOf(line: string, start: number, end: number): [number, number] {
  const bytes = Buffer.from(line, "utf8");
  return [bytes.subarray(0, start).toString("utf8").length, bytes.subarray(0, end).toString("utf8").length];
}

function wordRanges(document: TextDocument, hunk: HunkInfo, first: number): Range[] {
  const ranges: Range[] = [];
  for (const { line, new: spans } of hunk.words ?? []) {
    // Typing may have changed the line; then the daemon sends its words again.
    if (first + line >= document.lineCount || document.lineAt(first + line).text !== hunk.new[line]) {
      continue;
    }
    for (const [start, end] of spans) {
      if (typeof start === "number" && typeof end === "number") {
        const [from, to] = columnsOf(hunk.new[line] ?? "", start, end);
        ranges.push(new Range(first + line, from, first + line, to));
      }
    }
  }
  return ranges;
}

/** Whole lines, to the end of the last one: a note stands after it. */
function lineRange(document: TextDocument, first: number, last: number): Range {
  const end = Math.min(last, document.lineCount - 1);
  return new Range(first, 0, end, document.lineAt(end).text.length);
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

/** A text after the end of a line. */
function note(range: Range, contentText: string): DecorationOptions {
  return { range, renderOptions: { after: { contentText } } };
}

function addAfter(marks: Marks, document: TextDocument, { hunk, first, count }: PlacedHunk): void {
  if (count > 0) {
    const range = lineRange(document, first, first + count - 1);
    marks[hunk.oldLines === 0 ? "added" : "changed"].push({ range });
    wordRanges(document, hunk, first).forEach((word) => marks.word.push({ range: word }));
    return;
  }
  const isEnd = first >= document.lineCount;
  const at = isEnd ? document.lineCount - 1 : first;
  marks[isEnd ? "removedBelow" : "removedAbove"].push(note(lineRange(document, at, at), `− ${lines(hunk.oldLines)} removed`));
}

/** What a hunk proposes: one line itself, cut if it is long, else how many. The hover has all of it. */
function proposal({ newLines, new: text }: HunkInfo): string {
  if (newLines === 1) {
    return oneLine(text[0] ?? "") || "an empty line";
  }
  return newLines === 0 ? "to be removed" : `${lines(newLines)} proposed`;
}

function addBefore(marks: Marks, document: TextDocument, { review, hunk, first, count }: PlacedHunk): void {
  const what = review.writing ? "writing…" : proposal(hunk);
  if (count > 0) {
    marks.proposed.push(note(lineRange(document, first, first + count - 1), `→ ${what}`));
  } else {
    const at = Math.min(first, document.lineCount - 1);
    marks.proposedHere.push(note(lineRange(document, at, at), `+ ${what}`));
  }
}

export function marksOf(document: TextDocument, placed: readonly PlacedHunk[]): Marks {
  const marks: Marks = { added: [], changed: [], removedAbove: [], removedBelow: [], word: [], proposed: [], proposedHere: [] };
  for (const one of placed) {
    if (one.review.when === "after") {
      addAfter(marks, document, one);
    } else {
      addBefore(marks, document, one);
    }
  }
  return marks;
}
