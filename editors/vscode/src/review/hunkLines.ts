// The lines of a hunk: which are in the document, which are not, and where the first ones are.
//
// Contract: pure. The user may have typed since the daemon sent the hunk: its lines are looked up at the sent line, at their last line,
// and nearby; there is no guess if they are not found.

import type { CutLineInfo, HunkInfo } from "copydesk-protocol";
import type { ReviewState } from "./store";

/** How many lines around are searched. */
const REACH = 200;

export interface HunkSide {
  lines: readonly string[];
  /** How many lines there are; `lines` may be fewer. */
  count: number;
  cut: readonly CutLineInfo[];
}

/** What the lookup needs of a document. */
export interface LineSource {
  lineCount: number;
  lineAt(line: number): { text: string };
}

function oldSide({ old, oldLines, oldCut }: HunkInfo): HunkSide {
  return { lines: old, count: oldLines, cut: oldCut ?? [] };
}

function newSide(hunk: HunkInfo): HunkSide {
  return { lines: hunk.new, count: hunk.newLines, cut: hunk.newCut ?? [] };
}

/** The lines that are in the document. */
export function presentSide(review: Pick<ReviewState, "when">, hunk: HunkInfo): HunkSide {
  return review.when === "after" ? newSide(hunk) : oldSide(hunk);
}

/** The lines that are not in the document. */
export function absentSide(review: Pick<ReviewState, "when">, hunk: HunkInfo): HunkSide {
  return review.when === "after" ? oldSide(hunk) : newSide(hunk);
}

/** Whether all lines of a side were sent, and whole. */
export function isComplete({ lines, count, cut }: HunkSide): boolean {
  return lines.length === count && cut.length === 0;
}

/** The lines for the user: a cut one ends with its length. */
export function shownLines({ lines, count, cut }: HunkSide, most: number): string[] {
  const shown = lines.slice(0, most).map((line, index) => {
    const bytes = cut.find((one) => one.line === index)?.bytes;
    return bytes === undefined ? line : `${line}… (${bytes} bytes)`;
  });
  return count > shown.length ? [...shown, `… ${count - shown.length} more lines`] : shown;
}

function stands(source: LineSource, { lines, cut }: HunkSide, first: number): boolean {
  if (first < 0 || first + lines.length > source.lineCount) {
    return false;
  }
  return lines.every((line, index) => {
    const { text } = source.lineAt(first + index);
    const bytes = cut.find((one) => one.line === index)?.bytes;
    return bytes === undefined ? text === line : text.startsWith(line) && Buffer.byteLength(text) === bytes;
  });
}

/** The line at which a side begins; undefined if its lines are not there. */
export function findLines(source: LineSource, side: HunkSide, expected: number, last?: number): number | undefined {
  if (side.lines.length === 0) {
    return Math.min(last ?? expected, source.lineCount);
  }
  for (const line of last === undefined ? [expected] : [expected, last]) {
    if (stands(source, side, line)) {
      return line;
    }
  }
  for (let away = 1; away <= REACH; away += 1) {
    for (const line of [expected - away, expected + away]) {
      if (stands(source, side, line)) {
        return line;
      }
    }
  }
  return undefined;
}
