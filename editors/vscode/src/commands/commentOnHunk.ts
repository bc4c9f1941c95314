// `copydesk.review.comment`: comments on a given hunk, the selected lines, or the line at the cursor, without deciding.
//
// An argument with `text` is the comment itself, for keybindings and other extensions.

import type { TextDocument } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";
import { documentOf } from "../documents/openDocuments";
import { shownPath } from "../documents/save";
import { presentSide } from "../review/hunkLines";
import { hunkArgument, realDocument } from "../review/target";

/** The lines that the comment is about. */
interface CommentLines {
  document: TextDocument | undefined;
  uri: string;
  first: number;
  count: number;
}

async function linesOf(desk: Desk, argument: unknown): Promise<CommentLines | undefined> {
  const { reviews, targets } = desk.review;
  const id = hunkArgument(argument);
  const found = id === undefined ? undefined : reviews.find(id);
  const hunk = found?.review.hunks.get(id ?? "");
  if (found && hunk) {
    const { uri } = found.review;
    return { document: documentOf(uri), uri, first: reviews.lineOf(found.review, hunk), count: presentSide(found.review, hunk).count };
  }
  const editor = window.activeTextEditor;
  const document = editor && realDocument(editor.document);
  if (!editor || !document) {
    return undefined;
  }
  const uri = document.uri.toString();
  const { start, end, active, isEmpty } = editor.selection;
  if (!isEmpty && editor.document === document) {
    return { document, uri, first: start.line, count: end.line - start.line + 1 };
  }
  const one = await targets.atCursor(editor);
  return one ? { document, uri, first: one.first, count: one.count } : { document, uri, first: active.line, count: 1 };
}

export async function commentOnHunk(desk: Desk, argument?: unknown): Promise<void> {
  const lines = await linesOf(desk, argument);
  if (!lines) {
    void window.showInformationMessage("A comment needs lines of a file: open one first.");
    return;
  }
  const { comments, reviews } = desk.review;
  const { document, uri, first, count } = lines;
  const given = typeof argument === "object" && argument !== null && "text" in argument ? argument.text : undefined;
  const placed = document && reviews.placed(document).find((one) => one.first === first && one.count === count);
  const editor = window.activeTextEditor;
  if (typeof given === "string") {
    await comments.send(uri, first, Math.max(1, count), given);
  } else if (placed && editor?.document === document) {
    await comments.open(document, placed);
  } else {
    const prompt = `Comment on ${shownPath(uri)}:${first + 1}`;
    const text = await window.showInputBox({ prompt, placeHolder: "The agent reads it at its next step", ignoreFocusOut: true });
    if (text) {
      await comments.send(uri, first, Math.max(1, count), text);
    }
  }
}
