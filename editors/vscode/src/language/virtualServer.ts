// A language server as the daemon sees it: VS Code does not let an extension listen to its real servers, so the extension reports one
// virtual server for TypeScript, which can be asked about a text, and one for each other language, which shows what VS Code shows.
//
// Contract: its documents are the documents that VS Code has loaded. Their versions are VS Code's; `document` is the same number if the
// daemon has the document too. What a report proves is the daemon's decision.

import type { ServerDocumentParams } from "copydesk-protocol";
import type { TextDocument, TextDocumentChangeEvent } from "vscode";
import { isUnsaved } from "../documents/diskText";
import type { DocumentSync } from "../documents/sync";
import type { ServerReports } from "./serverReports";
import { shownDiagnostics } from "./shownProblems";

/** How a server learns of problems. */
export type ServerKind = "typescript" | "shown";

interface ReportedDocument {
  document: TextDocument;
  /** The daemon's version that was reported; undefined if the daemon did not have it. */
  synced: number | undefined;
  isModified: boolean;
}

export class VirtualServer {
  readonly #reported = new Map<string, ReportedDocument>();

  constructor(
    readonly id: number,
    readonly name: string,
    readonly kind: ServerKind,
    readonly languages: ReadonlySet<string>,
    private readonly reports: ServerReports,
    private readonly sync: DocumentSync,
  ) {}

  serves(document: TextDocument): boolean {
    return document.uri.scheme === "file" && this.languages.has(document.languageId);
  }

  /** Whether the daemon was told that the server has this document. */
  has(document: TextDocument): boolean {
    return this.#reported.get(document.uri.toString())?.document === document;
  }

  get documents(): TextDocument[] {
    return [...this.#reported.values()].map(({ document }) => document);
  }

  start(capabilities: object): void {
    // Its capabilities are known from the start, and it has run for an unknown time.
    const languages = this.kind === "shown" ? [...this.languages] : [];
    const server = { server: this.id, name: this.name, languages, encoding: "utf-16", capabilities, running: true };
    this.reports.send("copydesk/server/started", server);
  }

  end(): void {
    this.reports.send("copydesk/server/ended", { server: this.id });
  }

  /** `isRunning`: VS Code had the document before the server was reported. */
  open(document: TextDocument, isRunning: boolean): void {
    const state = { document, synced: this.#syncedVersion(document), isModified: document.isDirty };
    this.#reported.set(document.uri.toString(), state);
    this.reports.send("copydesk/server/document", {
      server: this.id,
      uri: document.uri.toString(),
      event: "opened",
      language: document.languageId,
      version: document.version,
      document: state.synced,
      modified: state.isModified,
      running: isRunning,
    });
  }

  change({ document, contentChanges }: TextDocumentChangeEvent): void {
    const state = this.#reported.get(document.uri.toString());
    if (!state || contentChanges.length === 0) {
      return;
    }
    state.synced = this.#syncedVersion(document);
    // A document that the user types in is dirty only in the next event. One that nobody has open follows the disk.
    state.isModified = document.isDirty || state.synced !== undefined;
    this.#send(document, { event: "changed", version: document.version, document: state.synced, modified: state.isModified });
  }

  save(document: TextDocument): void {
    const state = this.#reported.get(document.uri.toString());
    if (state) {
      state.isModified = isUnsaved(document);
      this.#send(document, { event: "saved", modified: state.isModified });
    }
  }

  close(document: TextDocument): void {
    if (this.#reported.delete(document.uri.toString())) {
      this.#send(document, { event: "closed" });
    }
  }

  /** Reports what changed without an event: whether the daemon has the document, and whether it is saved. */
  update(document: TextDocument): void {
    const state = this.#reported.get(document.uri.toString());
    const synced = this.#syncedVersion(document);
    if (state && state.synced !== synced) {
      state.synced = synced;
      this.#send(document, { event: "renumbered", document: synced });
    }
    if (state?.isModified && !isUnsaved(document)) {
      this.save(document);
    }
  }

  /** Reports the problems that VS Code shows now, as a server would publish them. They have no version. */
  publish(document: TextDocument): void {
    const uri = document.uri.toString();
    const params = { uri, diagnostics: shownDiagnostics(document.uri) };
    this.reports.send("copydesk/server/received", { server: this.id, method: "textDocument/publishDiagnostics", params });
  }

  #syncedVersion(document: TextDocument): number | undefined {
    return this.sync.has(document) ? document.version : undefined;
  }

  #send(document: TextDocument, event: Omit<ServerDocumentParams, "server" | "uri">): void {
    this.reports.send("copydesk/server/document", { server: this.id, uri: document.uri.toString(), ...event });
  }
}
