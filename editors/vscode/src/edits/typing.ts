// Lets the daemon's next attempt meet a moment in which the user does not type.
//
// The daemon tries a refused edit again until the edit's deadline. An attempt that begins right after a key has the most time before
// the next one, so the first refusals are answered at once. Someone who types faster than that pauses sooner or later: the later
// refusals wait for it a little, and else for the next key.
//
// Contract: no refusal waits beyond the deadline, and a refused edit is never made here: the daemon sends it anew.

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

  /** Resolves when the refusal of an edit should be answered. `until` is its deadline. */
  async refused(document: TextDocument, until: number | undefined): Promise<void> {
    const refusals = (this.#refusals.get(document) ?? 0) + 1;
    this.#refusals.set(document, refusals);
    if (refusals > AT_ONCE) {
      await waitForPause(document, Math.min(limits.refusalWait, (until ?? Infinity) - Date.now()));
    }
  }
}

/** Resolves when the document has not changed for a moment, or at the first change after `most` milliseconds. */
function waitForPause(document: TextDocument, most: number): Promise<void> {
  const end = Date.now() + most;
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(pause);
      listener.dispose();
      resolve();
    };
    const listener = workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document || event.contentChanges.length === 0) {
        return;
      } else if (Date.now() >= end) {
        done();
      } else {
        pause.refresh();
      }
    });
    const pause = setTimeout(done, limits.typingGap);
  });
}
