// Lets the daemon's next attempt meet a moment in which the user does not type.
//
// The daemon tries a refused edit again, a limited number of times. An attempt that begins right after a key has the most time before
// the next one, so the first refusals are answered at once. Someone who types faster than that pauses sooner or later: the later
// refusals wait for it.

import type { TextDocument } from "vscode";
import { workspace } from "vscode";
import { limits } from "../timeLimits";

/** How many refusals in a row are answered at once. */
const AT_ONCE = 6;

export class RefusalPacer {
  readonly #refusals = new WeakMap<TextDocument, number>();

  /** An edit was made. */
  succeeded(document: TextDocument): void {
    this.#refusals.delete(document);
  }

  /** Resolves when the refusal of an edit should be answered. */
  async refused(document: TextDocument): Promise<void> {
    const refusals = (this.#refusals.get(document) ?? 0) + 1;
    this.#refusals.set(document, refusals);
    if (refusals > AT_ONCE) {
      await waitForPause(document);
    }
  }
}

/** Resolves when the document has not changed for a moment, or after the longest wait. */
function waitForPause(document: TextDocument): Promise<void> {
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
