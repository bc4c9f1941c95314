// Where the hunks of one document are, moved with the text as the user types.
//
// VS Code moves decorations with the text, but tells no extension where they are.
//
// Contract: a place is exact after `place`; typing inside a hunk stretches it until the daemon sends the hunk again.

import type { HunkInfo } from "copydesk-protocol";
import type { Position, TextDocumentContentChangeEvent } from "vscode";
import { absentSide, findLines, presentSide, type LineSource } from "./hunkLines";
import type { ReviewState } from "./store";
import { sortedHunks } from "./store";

/** A hunk and its lines in the document. */
export interface PlacedHunk {
  review: ReviewState;
  hunk: HunkInfo;
  /** From 0. If `count` is 0, the absent lines belong before it; it may be the number of lines of the document. */
  first: number;
  count: number;
  /** A change touched its lines, so the place is a guess. */
  isGuess?: boolean;
}

export class HunkPlaces {
  #placed = new Map<string, PlacedHunk>();

  /** In text order. */
  all(): PlacedHunk[] {
    return [...this.#placed.values()].sort((a, b) => a.first - b.first || a.hunk.line - b.hunk.line);
  }

  get(hunk: string): PlacedHunk | undefined {
    return this.#placed.get(hunk);
  }

  /** Finds the hunks of some reviews; hunks that have not changed stay where they are. Returns how many were not found. */
  place(source: LineSource, reviews: readonly ReviewState[]): number {
    const before = this.#placed;
    this.#placed = new Map();
    let lost = 0;
    for (const review of reviews) {
      for (const hunk of sortedHunks(review)) {
        const known = before.get(hunk.hunk);
        if (known?.hunk === hunk && !known.isGuess) {
          this.#placed.set(hunk.hunk, { ...known, review });
          continue;
        }
        const side = presentSide(review, hunk);
        const first = findLines(source, side, hunk.line, known?.first);
        if (first === undefined) {
          lost += 1;
        } else {
          this.#placed.set(hunk.hunk, { review, hunk, first, count: side.count });
        }
      }
    }
    return lost;
  }

  /** Moves the places with a change, as VS Code reports it: each in the text after the ones before it. Whether one is a guess now. */
  move(changes: readonly TextDocumentContentChangeEvent[]): boolean {
    for (const { range, text } of changes) {
      const added = text.split(/\r\n|\r|\n/).length - 1 - (range.end.line - range.start.line);
      // Typing within a line moves nothing.
      if (added !== 0) {
        const change = { start: range.start, end: range.end, added, isBelow: range.isEmpty && /^[\r\n]/.test(text) };
        this.#placed.forEach((one) => movePlace(one, change));
      }
    }
    return [...this.#placed.values()].some((one) => one.isGuess);
  }
}

interface LineChange {
  start: Position;
  end: Position;
  /** By how many lines the text grows. */
  added: number;
  /** It adds lines below the line where it starts. */
  isBelow: boolean;
}

function movePlace(one: PlacedHunk, { start, end, added, isBelow }: LineChange): void {
  const next = one.first + one.count;
  if (end.line < one.first || (end.line === one.first && end.character === 0)) {
    one.first += added;
  } else if (start.line >= next || (isBelow && start.line === next - 1)) {
    // It is below. If it splits the hunk's last line, the daemon sends the hunk again.
    return;
  } else if (one.count === 0) {
    one.isGuess = true;
    one.first = Math.max(start.line + 1, one.first + added);
  } else {
    one.isGuess = true;
    const first = Math.min(one.first, start.character === 0 ? start.line : start.line + 1);
    one.count = Math.max(0, next + added - first);
    one.first = first;
  }
}

/** The hunk at a line: the one that contains it, or the absent lines that belong before it. */
export function hunkAt(placed: readonly PlacedHunk[], line: number, lineCount: number): PlacedHunk | undefined {
  const inside = placed.find((one) => one.count > 0 && one.first <= line && line < one.first + one.count);
  return inside ?? placed.find((one) => one.count === 0 && Math.min(one.first, lineCount - 1) === line);
}

/** The hunks that touch some lines. */
export function hunksWithin(placed: readonly PlacedHunk[], first: number, last: number): PlacedHunk[] {
  return placed.filter((one) => (one.count === 0 ? one.first >= first && one.first <= last : one.first <= last && one.first + one.count > first));
}

/** The lines of a hunk that a selection of document lines means; undefined if it means the whole hunk. */
export function selectedLines(one: PlacedHunk, first: number, last: number): { old: number[]; new: number[] } | undefined {
  const from = Math.max(0, first - one.first);
  const to = Math.min(one.count - 1, last - one.first);
  if (one.count === 0 || (from === 0 && to === one.count - 1)) {
    return undefined;
  }
  const present = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const others = absentSide(one.review, one.hunk).count;
  // An absent line goes with the line at its place; those beyond the last line go with the last.
  const end = to === one.count - 1 ? others - 1 : Math.min(to, others - 1);
  const absent = Array.from({ length: Math.max(0, end - from + 1) }, (_, index) => from + index);
  return one.review.when === "after" ? { old: absent, new: present } : { old: present, new: absent };
}
