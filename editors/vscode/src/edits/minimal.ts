// Makes edits small and few, so that cursors, decorations and folds between them stay.
//
// VS Code merges 1,000 and more operations of one call into one change from the first to the last, and takes a second for nearly so
// many.
//
// Contract: pure, over offsets of a text. The result gives the same text as the given edits. Nothing is cut inside a surrogate pair or
// a CRLF.

/** Replaces `[start, end)` by `text`. */
export interface OffsetEdit {
  start: number;
  end: number;
  text: string;
}

/** How many operations one call has at most. */
export const MAX_OPERATIONS = 250;

/** Whether a cut before this index would split a character or a line end. */
function isInside(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  const isPair = (before & 0xfc00) === 0xd800 && (after & 0xfc00) === 0xdc00;
  return isPair || (before === 13 && after === 10);
}

/** Drops what an edit replaces by the same. */
export function trimEdit(text: string, edit: OffsetEdit): OffsetEdit {
  const old = text.slice(edit.start, edit.end);
  const most = Math.min(old.length, edit.text.length);
  let head = 0;
  while (head < most && old.charCodeAt(head) === edit.text.charCodeAt(head)) {
    head += 1;
  }
  while (head > 0 && (isInside(old, head) || isInside(edit.text, head))) {
    head -= 1;
  }
  let tail = 0;
  while (tail < most - head && old.charCodeAt(old.length - 1 - tail) === edit.text.charCodeAt(edit.text.length - 1 - tail)) {
    tail += 1;
  }
  while (tail > 0 && (isInside(old, old.length - tail) || isInside(edit.text, edit.text.length - tail))) {
    tail -= 1;
  }
  return { start: edit.start + head, end: edit.end - tail, text: edit.text.slice(head, edit.text.length - tail) };
}

/** Sorts edits by place; undefined if two overlap. Insertions at one place keep their order. */
export function sortEdits(edits: readonly OffsetEdit[]): OffsetEdit[] | undefined {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const isOverlapping = sorted.some((edit, index) => {
    const before = sorted[index - 1];
    return before !== undefined && edit.start < before.end;
  });
  return isOverlapping ? undefined : sorted;
}

/** The indexes of the edits that begin a joined one, if a joined one spans at most `width`. */
function joinedStarts(edits: readonly OffsetEdit[], width: number): Set<number> {
  const starts = new Set<number>();
  let first = 0;
  edits.forEach((edit, index) => {
    if (index === 0 || edit.end - first > width) {
      starts.add(index);
      first = edit.start;
    }
  });
  return starts;
}

/**
 * Joins sorted edits to at most `most`, so that the widest of them is as narrow as it can be. Joining across the shortest gaps would make
 * one wide edit of a region in which they are all alike.
 */
export function joinEdits(text: string, edits: readonly OffsetEdit[], most = MAX_OPERATIONS): OffsetEdit[] {
  if (edits.length <= most) {
    return [...edits];
  }
  let tooNarrow = -1;
  let width = text.length;
  while (width - tooNarrow > 1) {
    const middle = Math.floor((tooNarrow + width) / 2);
    if (joinedStarts(edits, middle).size > most) {
      tooNarrow = middle;
    } else {
      width = middle;
    }
  }
  const starts = joinedStarts(edits, width);
  const joined: OffsetEdit[] = [];
  edits.forEach((edit, index) => {
    const last = joined[joined.length - 1];
    if (!last || starts.has(index)) {
      joined.push({ ...edit });
    } else {
      last.text += text.slice(last.end, edit.start) + edit.text;
      last.end = edit.end;
    }
  });
  return joined;
}

/** The text after sorted edits. */
export function editedText(text: string, edits: readonly OffsetEdit[]): string {
  let at = 0;
  const pieces = edits.map((edit) => {
    const piece = text.slice(at, edit.start) + edit.text;
    at = edit.end;
    return piece;
  });
  return pieces.join("") + text.slice(at);
}

/** The edits that take sorted edits back, in the text after them. */
export function inverseEdits(text: string, edits: readonly OffsetEdit[]): OffsetEdit[] {
  let moved = 0;
  return edits.map((edit) => {
    const start = edit.start + moved;
    moved += edit.text.length - (edit.end - edit.start);
    return { start, end: start + edit.text.length, text: text.slice(edit.start, edit.end) };
  });
}
