// Read-only documents for texts that are longer than a notification: a diff, a command, a report.
//
// Contract: a text is shown in a tab only by a command of the user. It is no file, is never dirty, and is not synced to the daemon.

import type { TextDocumentContentProvider } from "vscode";
import { Disposable, languages, Uri, window, workspace } from "vscode";

const SCHEME = "copydesk-text";

/** More are forgotten, the oldest first: a tab that VS Code reopens then says so. */
const MAX_TEXTS = 100;

export class ReadOnlyTexts implements TextDocumentContentProvider, Disposable {
  readonly #texts = new Map<string, string>();
  #count = 0;
  readonly #registration = workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: Uri): string {
    return this.#texts.get(uri.query) ?? "This text is no longer available.";
  }

  /** Shows a text in a tab. The name may have an extension that chooses the language, else `language` does. */
  async show(name: string, text: string, language?: string): Promise<void> {
    const id = String(++this.#count);
    this.#texts.set(id, text);
    const oldest = this.#texts.keys().next().value;
    if (this.#texts.size > MAX_TEXTS && oldest !== undefined) {
      this.#texts.delete(oldest);
    }
    const document = await workspace.openTextDocument(Uri.from({ scheme: SCHEME, path: `/${name.replaceAll("/", "∕")}`, query: id }));
    await window.showTextDocument(language ? await languages.setTextDocumentLanguage(document, language) : document, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
