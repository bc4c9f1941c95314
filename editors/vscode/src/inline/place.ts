// The lines that an inline edit is about, moved with the text while the model writes.
//
// Contract: pure. A change inside the lines stretches or shrinks them.

import type { Range, TextDocument, TextDocumentContentChangeEvent, TextEditor } from "vscode";
import { Range as TextRange } from "vscode";

/** First and last line, from 0. */
export interface EditLines {
  first: number;
  last: number;
}

/** The lines of a range; one that ends at the start of a line does not mean that line. */
export function linesOf({ start, end }: Range): EditLines {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { first: start.line, last };
}

/** The selection, or the current line. */
export function editRange({ document, selection }: TextEditor): Range {
  return selection.isEmpty ? document.lineAt(selection.active.line).range : new TextRange(selection.start, selection.end);
}

/** The whole lines, as far as the document still has them. */
export function rangeOfLines(document: TextDocument, { first, last }: EditLines): Range {
  return document.validateRange(new TextRange(first, 0, last, Number.MAX_SAFE_INTEGER));
}

/** Moves lines with changes as VS Code reports them: from the bottom up. */
export function moveLines(lines: EditLines, changes: readonly Pick<TextDocumentContentChangeEvent, "range" | "text">[]): void {
  for (const { range, text } of changes) {
    const added = text.split(/\r\n|\r|\n/).length - 1 - (range.end.line - range.start.line);
    if (range.end.line < lines.first || (range.end.line === lines.first && range.end.character === 0)) {
      lines.first += added;
      lines.last += added;
    } else if (range.start.line <= lines.last) {
      lines.first = Math.min(lines.first, range.start.line);
      lines.last = Math.max(lines.first, lines.last + added);
    }
  }
}
