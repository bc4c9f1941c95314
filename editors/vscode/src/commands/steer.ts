// `copydesk.steer`: tells the running turn something; the model reads it at its next step. Without a turn it starts one.

import { window } from "vscode";
import type { Desk } from "../desk";
import { selectionPiece } from "../sessions/context";

export async function steer(desk: Desk): Promise<void> {
  const selected = window.activeTextEditor && selectionPiece(window.activeTextEditor);
  const title = selected ? `Tell the running turn about ${selected.label}` : "Tell the running turn";
  const placeHolder = "The model reads it at its next step";
  const text = await window.showInputBox({ title, placeHolder, value: desk.prompts.takeUnsent(), ignoreFocusOut: true });
  if (text && text.trim() !== "") {
    await desk.prompts.sendTyped(text, { pieces: selected ? [selected] : [], isSteering: true });
  }
}
