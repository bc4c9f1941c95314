// `copydesk.explain`: asks the agent to explain the selection, or the file.

import { window } from "vscode";
import type { Desk } from "../desk";
import { filePiece, promptPlace, selectionPiece } from "../sessions/context";
import { sendAndShow } from "./ask";

export async function explain(desk: Desk): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor) {
    void window.showInformationMessage("Open the code that the agent should explain.");
    return;
  }
  const piece = selectionPiece(editor) ?? filePiece(editor.document.uri);
  await sendAndShow(desk, `Explain ${promptPlace(editor)}. Change nothing.`, [piece]);
}
