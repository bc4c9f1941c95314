// `copydesk.edit`: the model rewrites the selection or the current line. If these lines have an open inline edit, the instruction
// refines that. `copydesk.edit.retry` lets it try again, `copydesk.edit.cancel` drops it. `copydesk.edit.send` and `copydesk.edit.dismiss` are
// the buttons of the input.
//
// An argument `{ text }` is the instruction itself, for keybindings and other extensions; then nothing is asked.

import type { TextDocument, TextEditor } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";
import { readOnlyReason } from "../documents/editable";
import { isDocument } from "../documents/openDocuments";
import type { InlineEditId } from "../inline/inlineEdits";
import { placeName } from "../inline/inlineEdits";
import { editRange, linesOf, rangeOfLines, type EditLines } from "../inline/place";
import { reviewArgument } from "../review/target";
import { givenText } from "./ask";

/** The editor that the user works in, if its document can be edited. */
function editableEditor(desk: Desk): TextEditor {
  const active = window.activeTextEditor;
  // An input that was just closed may still be the active editor; only an editor in a tab has a column.
  const editor = active?.viewColumn === undefined ? desk.screen.editor() : active;
  if (!editor || !isDocument(editor.document)) {
    throw new Error("An inline edit needs lines of a file. Open one and select what to rewrite.");
  }
  const problem = readOnlyReason(editor.document);
  if (problem) {
    throw new Error(`This document cannot be edited: ${problem}`);
  }
  return editor;
}

/** Asks at the lines, or in a box where VS Code has no input in the editor. */
async function askForInstruction(desk: Desk, document: TextDocument, lines: EditLines, isRefining: boolean): Promise<string | undefined> {
  const place = placeName(document, lines);
  const title = isRefining ? `Refine the edit of ${place}` : `Edit ${place}`;
  const placeHolder = isRefining ? "What should change? Empty: try again" : "How should it be rewritten?";
  if (desk.instructions.canShow(document)) {
    return desk.instructions.ask(document, lines, `${title}: ${placeHolder} (Enter sends it)`);
  }
  return window.showInputBox({ title, placeHolder, ignoreFocusOut: true });
}

export async function edit(desk: Desk, argument?: unknown): Promise<void> {
  const editor = editableEditor(desk);
  const { document } = editor;
  // Read before the user types the instruction: the selection may be another by then.
  const range = editRange(editor);
  const { version } = document;
  desk.connection.startSoon();
  const lines = linesOf(range);
  const open = await desk.inlineEdits.at(document, lines);
  const instruction = givenText(argument) ?? (await askForInstruction(desk, document, lines, open !== undefined));
  if (instruction === undefined || (instruction.trim() === "" && !open)) {
    return;
  } else if (open) {
    await desk.inlineEdits.refine(document, open, lines, instruction.trim() || undefined);
    return;
  }
  // Somebody else, such as the agent, may have changed the text meanwhile: the lines have moved with it.
  await desk.inlineEdits.start(document, document.version === version ? range : rangeOfLines(document, lines), instruction);
}

/** Sends the input at the lines. */
export function sendInstruction(desk: Desk, argument?: unknown): void {
  desk.instructions.send(argument);
}

/** Closes the input at the lines. */
export function dismissInstruction(desk: Desk): void {
  desk.instructions.dismiss();
}

async function openEdit(desk: Desk): Promise<{ editor: TextEditor; open: InlineEditId } | undefined> {
  const editor = window.activeTextEditor;
  const open = editor && (await desk.inlineEdits.at(editor.document, linesOf(editor.selection)));
  if (!editor || !open) {
    void window.showInformationMessage("There is no inline edit at the cursor.");
    return undefined;
  }
  return { editor, open };
}

export async function retryEdit(desk: Desk): Promise<void> {
  const found = await openEdit(desk);
  if (found) {
    await desk.inlineEdits.refine(found.editor.document, found.open, linesOf(found.editor.selection));
  }
}

/** Drops the inline edit of a node of the Review tree, or at the cursor. */
export async function cancelEdit(desk: Desk, argument?: unknown): Promise<void> {
  const review = desk.review.reviews.store.review(reviewArgument(argument) ?? "");
  const open = review ? { session: review.session, review: review.id } : (await openEdit(desk))?.open;
  if (open) {
    await desk.inlineEdits.cancel(open);
  }
}
