// Sends the user's documents to the daemon: opened, changed, saved, closed, renamed.
//
// The extension does this itself, because the language client would send every document that any extension loads.
//
// Contract: the daemon has exactly the documents of `openDocuments`. Notifications leave in the order of the events, before any
// request that is sent later. (All are sent by the method's name: the language client delays notifications by type differently.)

import type { FileRenameEvent, TextDocument, TextDocumentChangeEvent } from "vscode";
import { Disposable, window, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Connection } from "../daemon/connection";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import { hasDiskText, isUnsaved } from "./diskText";
import { isDocument, shownUris } from "./openDocuments";

export class DocumentSync implements Disposable {
  readonly #synced = new Map<string, TextDocument>();
  #client: LanguageClient | undefined;
  #shown = new Set<string>();
  /** The synced documents that were unsaved after their last event. */
  readonly #unsaved = new WeakSet<TextDocument>();
  /** The new URIs of files that the daemon renames. */
  readonly #ownRenames = new Set<string>();
  readonly #disposables: Disposable[];

  constructor(connection: Connection) {
    this.#disposables = [
      connection.onDidConnect((client) => this.#restart(client)),
      connection.onDidChangeState((state) => {
        if (state !== "ready") {
          this.#client = undefined;
          this.#synced.clear();
        }
      }),
      window.tabGroups.onDidChangeTabs(() => this.#updateShown()),
      window.onDidChangeVisibleTextEditors(() => this.#updateShown()),
      workspace.onDidOpenNotebookDocument(() => this.#updateShown()),
      workspace.onDidChangeNotebookDocument((event) => {
        if (event.contentChanges.length > 0) {
          this.#updateShown();
        }
      }),
      workspace.onDidOpenTextDocument((document) => this.#update(document)),
      workspace.onDidCloseTextDocument((document) => this.#close(document)),
      workspace.onDidChangeTextDocument((event) => this.#change(event)),
      workspace.onDidSaveTextDocument((document) => this.#save(document)),
      workspace.onDidRenameFiles(({ files }) => this.#rename(files)),
    ];
  }

  /** Whether the daemon has this document. */
  has(document: TextDocument): boolean {
    return this.#synced.get(document.uri.toString()) === document;
  }

  /** The synced document of a URI, as `uriKey` spells it. */
  get(key: string): TextDocument | undefined {
    return this.#synced.get(key);
  }

  /** The daemon renames a file to this URI. Call the result if that fails. */
  expectRename(newUri: string): () => void {
    this.#ownRenames.add(newUri);
    return () => void this.#ownRenames.delete(newUri);
  }

  /** Closes a document and opens it again, so that the daemon has its whole text. */
  resend(document: TextDocument): void {
    if (this.has(document)) {
      log().warn(`the daemon had another text of ${document.uri.toString()}; it is sent again`);
      this.#close(document);
      this.#update(document);
    }
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #restart(client: LanguageClient): void {
    this.#client = client;
    this.#synced.clear();
    this.#updateShown();
  }

  #updateShown(): void {
    if (!this.#client) {
      return;
    }
    this.#shown = shownUris();
    workspace.textDocuments.forEach((document) => this.#update(document));
  }

  #isWanted(document: TextDocument): boolean {
    const isUsed = document.isDirty || this.#unsaved.has(document) || document.isUntitled || this.#shown.has(document.uri.toString());
    return isDocument(document) && !document.isClosed && isUsed;
  }

  /** Opens or closes a document for the daemon, as wanted. */
  #update(document: TextDocument): void {
    const isWanted = this.#isWanted(document);
    if (isWanted && !this.has(document)) {
      this.#open(document);
    } else if (!isWanted && this.has(document)) {
      this.#close(document);
    }
  }

  #open(document: TextDocument): void {
    const uri = document.uri.toString();
    this.#synced.set(uri, document);
    this.#note(document, document.isDirty);
    const { languageId, version } = document;
    this.#notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text: document.getText() } });
  }

  #close(document: TextDocument): void {
    const uri = document.uri.toString();
    if (this.#synced.delete(uri)) {
      this.#notify("textDocument/didClose", { textDocument: { uri } });
    }
  }

  #change(event: TextDocumentChangeEvent): void {
    const { document } = event;
    if (!this.has(document)) {
      // It is dirty now, or one that was dirty is clean again.
      return this.#update(document);
    }
    if (event.contentChanges.length > 0) {
      const textDocument = { uri: document.uri.toString(), version: document.version };
      this.#notify("textDocument/didChange", { textDocument, contentChanges: this.#contentChanges(event) });
    }
    this.#note(document, document.isDirty);
    this.#update(document);
  }

  /** A document that VS Code has read again is sent whole: the daemon takes no whole text for the user's decision about hunks. */
  #contentChanges({ document, contentChanges, reason }: TextDocumentChangeEvent): object[] {
    // VS Code does not say that it has read a file again, and the first change in a clean document still finds it clean.
    if (!this.#unsaved.has(document) && reason === undefined && hasDiskText(document)) {
      return [{ text: document.getText() }];
    }
    return contentChanges.map(({ range: { start, end }, text }) => ({
      range: { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } },
      text,
    }));
  }

  #note(document: TextDocument, isUnsavedNow: boolean): void {
    if (isUnsavedNow) {
      this.#unsaved.add(document);
    } else {
      this.#unsaved.delete(document);
    }
  }

  #save(document: TextDocument): void {
    if (this.has(document)) {
      this.#note(document, isUnsaved(document));
      this.#notify("textDocument/didSave", { textDocument: { uri: document.uri.toString() } });
      this.#update(document);
    }
  }

  /** VS Code has opened the documents under their new names before. What the daemon has renamed itself it knows already. */
  #rename(renamed: FileRenameEvent["files"]): void {
    const files = renamed
      .map(({ oldUri, newUri }) => ({ oldUri: oldUri.toString(), newUri: newUri.toString() }))
      .filter(({ newUri }) => !this.#ownRenames.delete(newUri));
    if (files.length > 0) {
      this.#notify("workspace/didRenameFiles", { files });
    }
  }

  #notify(method: string, params: object): void {
    this.#client?.sendNotification(method, params).catch((error) => log().warn(`${method}: ${problemOf(error)}`));
  }
}
