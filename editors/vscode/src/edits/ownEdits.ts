// Tells our own edits from what the user types: VS Code's change events look alike.
//
// Contract: a version of a document is ours if its change arrived while one of our edits was on its way, and the edit was made. The
// document's event always arrives before the answer.

import type { TextDocument } from "vscode";
import { Disposable, workspace } from "vscode";
import { isDocument } from "../documents/openDocuments";

export class OwnEdits implements Disposable {
  /** How many edits are on their way, by document. */
  readonly #pending = new WeakMap<TextDocument, number>();
  /** When the user last typed, by document. */
  readonly #typed = new WeakMap<TextDocument, number>();
  #lastTyped = 0;
  readonly #listener: Disposable;

  constructor() {
    this.#listener = workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && !this.#pending.get(document)) {
        const now = Date.now();
        this.#typed.set(document, now);
        // The output channel is a document, too.
        this.#lastTyped = isDocument(document) ? now : this.#lastTyped;
      }
    });
  }

  /** Marks an edit as ours until it is answered. */
  async during(document: TextDocument, edit: Thenable<boolean>): Promise<boolean> {
    this.#pending.set(document, (this.#pending.get(document) ?? 0) + 1);
    try {
      return await edit;
    } finally {
      this.#pending.set(document, (this.#pending.get(document) ?? 1) - 1);
    }
  }

  /** Whether the user typed in a document within the last milliseconds, so that the daemon may lag behind. */
  isTyping(document: TextDocument, within: number): boolean {
    const typed = this.#typed.get(document);
    return typed !== undefined && Date.now() - typed < within;
  }

  /** The same for all documents. */
  isTypingAnywhere(within: number): boolean {
    return Date.now() - this.#lastTyped < within;
  }

  dispose(): void {
    this.#listener.dispose();
  }
}
