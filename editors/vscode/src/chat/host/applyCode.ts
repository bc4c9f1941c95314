// Proposes a block of code from the chat in the open file, as a hunk that the user accepts or rejects.
//
// Contract: the document does not change before the user accepts. The code replaces the selection. Without one it replaces the lines that
// begin and end like it, if there is exactly one such place; else it goes before the line of the cursor.

import type { TextDocument, TextEditor } from "vscode";
import { Range, window } from "vscode";
import { DaemonError } from "../../daemon/requests";
import type { InlineEdits } from "../../inline/inlineEdits";

/** A longer document is not searched. */
const MAX_LINES = 50_000;

/** The numbers of the lines that equal a text, but for their indentation. */
function linesLike(lines: readonly string[], text: string): number[] {
  return lines.flatMap((line, at) => (line.trim() === text ? [at] : []));
}

/** The lines that begin and end as the code does; undefined if there is no such place, or more than one. */
export function placeOfCode(lines: readonly string[], code: string): { first: number; last: number } | undefined {
  const own = code.split("\n").map((line) => line.trim());
  const [head, tail] = [own.find((line) => line !== ""), own.findLast((line) => line !== "")];
  if (head === undefined || tail === undefined) {
    return undefined;
  }
  const firsts = linesLike(lines, head);
  const [first] = firsts;
  if (first === undefined || firsts.length > 1) {
    return undefined;
  } else if (own.filter((line) => line !== "").length === 1) {
    return { first, last: first };
  }
  const indentation = (at: number) => /^\s*/.exec(lines[at] ?? "")?.[0].length ?? 0;
  // A closing brace is on many lines; that of the same indentation is meant.
  const last = linesLike(lines, tail).find((at) => at > first && indentation(at) === indentation(first));
  return last === undefined ? undefined : { first, last };
}

function wholeLines(document: TextDocument, first: number, last: number): Range {
  return document.validateRange(new Range(first, 0, last + 1, 0));
}

/** What to replace by what. */
function replacementFor({ document, selection }: TextEditor, code: string): { range: Range; text: string } {
  if (!selection.isEmpty) {
    const end = selection.end.character === 0 ? selection.end.line - 1 : selection.end.line;
    return { range: wholeLines(document, selection.start.line, end), text: `${code}\n` };
  }
  const place = document.lineCount <= MAX_LINES ? placeOfCode(document.getText().split(/\r?\n/), code) : undefined;
  if (place) {
    return { range: wholeLines(document, place.first, place.last), text: `${code}\n` };
  }
  const { line } = selection.active;
  // The daemon gives a replacement the line end of what it replaces, so an empty range would glue the code to this line.
  return { range: wholeLines(document, line, line), text: `${code}\n${document.lineAt(line).text}\n` };
}

/** Proposes the code in the editor that the user used last. */
export async function applyCode(inlineEdits: InlineEdits, code: string): Promise<void> {
  const editor = window.activeTextEditor ?? window.visibleTextEditors.find(({ document }) => document.uri.scheme === "file");
  if (!editor || !["file", "untitled"].includes(editor.document.uri.scheme)) {
    throw new DaemonError("Open the file that the code is for.");
  }
  const { range, text } = replacementFor(editor, code);
  await inlineEdits.propose(editor.document, range, text);
  editor.revealRange(range);
}
