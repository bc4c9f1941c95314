// The other text of a document under review: before the edits that are made, or after those that are proposed.
//
// Contract: pure, over lines.

import type { HunkInfo, ReviewTimingInfo } from "copydesk-protocol";
import type { HunkSide } from "./hunkLines";
import { absentSide, isComplete, shownLines } from "./hunkLines";
import type { PlacedHunk } from "./places";

/** Where a hunk's absent lines are in the other text. */
export interface OtherPlace {
  hunk: HunkInfo;
  first: number;
  count: number;
}

export interface OtherText {
  lines: string[];
  places: OtherPlace[];
  /** Every line is what it would be; else some were too long or too many to be sent. */
  isExact: boolean;
}

/** Replaces the lines of every hunk of one timing by the absent ones. The hunks are in text order. */
export function otherText(lines: readonly string[], placed: readonly PlacedHunk[], when: ReviewTimingInfo): OtherText {
  const other: OtherText = { lines: [], places: [], isExact: true };
  let at = 0;
  for (const { review, hunk, first, count } of placed) {
    if (review.when !== when || first < at) {
      continue;
    }
    const absent: HunkSide = absentSide(review, hunk);
    const shown = isComplete(absent) ? absent.lines : shownLines(absent, absent.lines.length);
    other.isExact &&= isComplete(absent);
    other.lines.push(...lines.slice(at, first));
    other.places.push({ hunk, first: other.lines.length, count: shown.length });
    other.lines.push(...shown);
    at = Math.min(first + count, lines.length);
  }
  other.lines.push(...lines.slice(at));
  return other;
}
