// `copydesk.review.comment`: comments on a given hunk, the selected lines, or the line at the cursor, without deciding.
//
// An argument with `text` is the comment itself, for keybindings and other extensions.

import { Uri, window } from "vscode";
import type { Desk } from "../desk";
import { realDocument, hunkArgument } from "../review/target";

/** The lines that the comment is about. */
interface Lines {
  uri: string;
  first: number;
  count: number;
}

async function linesOf(desk: Desk, argument: unknown): Promise<Lines | undefined> {
  const { reviews, targets } = desk.review;
  const id = hunkArgument(argument);
  const found = id === undefined ? undefined : reviews.find(id);
  const hunk = found?.review.hunks.get(id ?? "");
  if (found && hunk) {
    const count = found.review.when === "after" ? hunk.newLines : hunk.oldLines;
    return { uri: found.review.uri, first: reviews.lineOf(found.review, hunk), count };
  }
  const editor = window.activeTextEditor;
  const document = editor && realDocument(editor.document);
  if (!editor || !document) {
    return undefined;
  }
  const uri = document.uri.toString();
  if (!editor.selection.isEmpty && editor.document === document) {
    const { start, end } = editor.selection;
    return { uri, first: start.line, count: end.line - start.line + 1 };
  }
  const one = await targets.atCursor(editor);
  return one ? { uri, first: one.first, count: one.count } : { uri, first: editor.selection.active.line, count: 1 };
}

export async function commentOnHunk(desk: Desk, argument?: unknown): Promise<void> {
  const lines = await linesOf(desk, argument);
  if (!lines) {
    void window.showInformationMessage("A comment needs lines of a file: open one first.");
    return;
  }
  const { comments } = desk.review;
  const given = typeof argument === "object" && argument !== null && "text" in argument ? argument.text : undefined;
  const editor = window.activeTextEditor;
  if (typeof given === "string") {
    await comments.send(lines.uri, lines.first, Math.max(1, lines.count), given);
  } else if (editor?.document.uri.toString() === lines.uri) {
    await comments.open(editor, lines.first, lines.count);
  } else {
    const prompt = `Comment on ${Uri.parse(lines.uri).path.split("/").at(-1)}, line ${lines.first + 1}`;
    const text = await window.showInputBox({ prompt, ignoreFocusOut: true });
    if (text) {
      await comments.send(lines.uri, lines.first, Math.max(1, lines.count), text);
    }
  }
}
