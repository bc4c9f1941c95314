// Compares the text of a document with the daemon's when the user rests.
//
// Contract: a document is compared once after its last change and when it gets the focus. If the daemon has another text, the whole
// text is sent again, but one text only once: a second time would not help.

import type { TextDocument } from "vscode";
import { Disposable, window, workspace } from "vscode";
import type { Connection } from "../daemon/connection";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import { limits } from "../timeLimits";
import { digestOf } from "./digest";
import type { DocumentSync } from "./sync";

export class DocumentVerifier implements Disposable {
  readonly #timers = new Map<TextDocument, NodeJS.Timeout>();
  /** The digest of the text that was last sent again, by document. */
  readonly #resent = new WeakMap<TextDocument, string>();
  readonly #disposables: Disposable[];

  constructor(
    private readonly connection: Connection,
    private readonly sync: DocumentSync,
  ) {
    this.#disposables = [
      workspace.onDidChangeTextDocument((event) => this.#checkLater(event.document)),
      workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      window.onDidChangeActiveTextEditor((editor) => editor && this.#checkLater(editor.document)),
    ];
  }

  dispose(): void {
    [...this.#timers.keys()].forEach((document) => this.#forget(document));
    this.#disposables.forEach((one) => one.dispose());
  }

  #forget(document: TextDocument): void {
    clearTimeout(this.#timers.get(document));
    this.#timers.delete(document);
  }

  #checkLater(document: TextDocument): void {
    if (!this.sync.has(document)) {
      return;
    }
    this.#forget(document);
    const timer = setTimeout(() => {
      this.#timers.delete(document);
      this.#check(document).catch((error) => log().debug(problemOf(error)));
    }, limits.rest);
    this.#timers.set(document, timer);
  }

  async #check(document: TextDocument): Promise<void> {
    if (!this.sync.has(document) || this.connection.state !== "ready") {
      return;
    }
    const { version } = document;
    const digest = digestOf(document.getText());
    const params = { uri: document.uri.toString(), version, ...digest };
    const { same } = await this.connection.request("copydesk/document/verify", params);
    const key = `${digest.bytes} ${digest.sha256 ?? ""}`;
    if (!same && document.version === version && this.#resent.get(document) !== key) {
      this.#resent.set(document, key);
      this.sync.resend(document);
    }
  }
}
