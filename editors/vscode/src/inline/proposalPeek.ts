// The text that the model writes, in a peek under the lines that it replaces, because VS Code draws no lines that are not in the document.
//
// Contract: it opens only as part of the user's own command, and focus and selection are in the document again. It closes when its edit is over;
// Escape closes it before that, and the review still shows the edit.

import type { TextDocument } from "vscode";
import { commands, Location, Position, Range, window } from "vscode";
import { proposalUri } from "../review/virtualTexts";
import type { EditLines } from "./place";

export class ProposalPeek {
  #review: string | undefined;

  /** The edit whose peek may still be open. */
  get review(): string | undefined {
    return this.#review;
  }

  /** Opens the peek, if the document is still the one that the user sees. */
  async open(document: TextDocument, { first, last }: EditLines, review: string): Promise<void> {
    const editor = window.activeTextEditor;
    if (editor?.document !== document) {
      return;
    }
    this.#review = review;
    const { selections } = editor;
    const location = new Location(proposalUri(document.uri.toString()), new Range(first, 0, first, 0));
    await commands.executeCommand("editor.action.peekLocations", document.uri, new Position(last, 0), [location], "peek");
    // It has moved the cursor and taken the focus.
    editor.selections = selections;
    await commands.executeCommand("workbench.action.focusActiveEditorGroup");
  }

  async close(): Promise<void> {
    this.#review = undefined;
    await commands.executeCommand("closeReferenceSearch");
  }
}
