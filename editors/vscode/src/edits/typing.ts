// Waits for a pause in the typing of a document.
//
// A refused edit is tried again by the daemon at once, and would be refused again while the user types fast.

import type { TextDocument } from "vscode";
import { workspace } from "vscode";
import { limits } from "../timeLimits";

/** Resolves when the document has not changed for a moment, or after the longest wait. */
export function waitForPause(document: TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(pause);
      clearTimeout(end);
      listener.dispose();
      resolve();
    };
    const listener = workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) {
        pause.refresh();
      }
    });
    const pause = setTimeout(done, limits.typingGap);
    const end = setTimeout(done, limits.refusalWait);
  });
}
