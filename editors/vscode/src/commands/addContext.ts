// `copydesk.addFile` and `copydesk.addSelection`: what goes with the next prompt.
//
// From the explorer a command gets the file and all selected files.

import { commands, Uri, window } from "vscode";
import type { Desk } from "../desk";
import type { ContextPiece } from "../sessions/context";
import { filePiece, selectionPiece } from "../sessions/context";

function add(desk: Desk, pieces: ContextPiece[]): void {
  pieces.forEach((piece) => desk.prompts.context.add(piece));
  const labels = desk.prompts.context.pieces.map((piece) => piece.label).join(", ");
  void window.showInformationMessage(`With your next prompt: ${labels}`, "Ask…").then((choice) => {
    if (choice) {
      void commands.executeCommand("copydesk.ask");
    }
  });
}

export function addFile(desk: Desk, uri?: unknown, selected?: unknown): void {
  const given = Array.isArray(selected) && selected.length > 0 ? selected : [uri ?? window.activeTextEditor?.document.uri];
  const uris = given.filter((one) => one instanceof Uri);
  if (uris.length === 0) {
    void window.showInformationMessage("Open the file that should go with your next prompt.");
    return;
  }
  add(desk, uris.map(filePiece));
}

export function addSelection(desk: Desk): void {
  const piece = window.activeTextEditor && selectionPiece(window.activeTextEditor);
  if (!piece) {
    void window.showInformationMessage("Select the lines that should go with your next prompt.");
    return;
  }
  add(desk, [piece]);
}
