// The practice project in this window, and how far the user is with it.
//
// Contract: it changes nothing in the project and moves the cursor only for the user's command, or in the first window of a new project.
// The context key `copydesk.practice` completes the steps of the walkthrough: `open`, `broken` (its error shows), `proposed` (a repair waits
// for a decision), `repaired`.

import type { ExtensionContext, TextDocumentShowOptions } from "vscode";
import { commands, DiagnosticSeverity, Disposable, extensions, languages, Uri, ViewColumn, window, workspace } from "vscode";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import { uriKey } from "../documents/openDocuments";
import type { Reviews } from "../review/reviews";
import { makePracticeProject, PRACTICE_FILE } from "./practiceProject";

export const WALKTHROUGH = "copydesk.copydesk#firstSteps";
const KEY = "copydesk.practice";
const TYPESCRIPT = "vscode.typescript-language-features";

/** The last project that was made. */
interface PracticeRecord {
  folder: string;
  /** No window has shown it yet. */
  isNew: boolean;
  isReloaded: boolean;
}

type PracticeState = "open" | "broken" | "proposed" | "repaired";

export class Practice implements Disposable {
  #state: PracticeState | undefined;
  #wasProposed = false;
  readonly #disposables: Disposable[];

  constructor(
    private readonly context: ExtensionContext,
    private readonly reviews: Reviews,
  ) {
    this.#disposables = [
      reviews.onDidChange(() => this.#update()),
      languages.onDidChangeDiagnostics(() => this.#update()),
      workspace.onDidChangeWorkspaceFolders(() => this.#update()),
    ];
    this.#update();
  }

  /** Shows the error of the project in this window, or makes a project and opens it. */
  async open(): Promise<void> {
    if (this.#folder()) {
      return workspace.isTrusted && !extensions.getExtension(TYPESCRIPT) ? this.#reload() : this.#show();
    }
    const folder = await makePracticeProject(Uri.joinPath(this.context.extensionUri, "practice").fsPath);
    await this.context.globalState.update(KEY, { folder, isNew: true, isReloaded: false } satisfies PracticeRecord);
    // The user's own work stays in its window.
    const forceNewWindow = (workspace.workspaceFolders ?? []).length > 0;
    await commands.executeCommand("vscode.openFolder", Uri.file(folder), { forceNewWindow, forceReuseWindow: !forceNewWindow });
  }

  /** In the first window of a new project: the file at the left, and the walkthrough, which the window had before, at the right. */
  async resume(): Promise<void> {
    const record = this.#record();
    if (!record?.isNew || !this.#folder()) {
      return;
    }
    await this.context.globalState.update(KEY, { ...record, isNew: false } satisfies PracticeRecord);
    try {
      await this.#show();
      await commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, true);
    } catch (error) {
      log().warn(`the practice project was not shown: ${problemOf(error)}`);
    }
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #record(): PracticeRecord | undefined {
    return this.context.globalState.get<PracticeRecord>(KEY);
  }

  /** The project, if it is open in this window. */
  #folder(): Uri | undefined {
    const made = this.#record()?.folder;
    return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file" && uri.fsPath === made)?.uri;
  }

  async #show(): Promise<void> {
    const folder = this.#folder();
    if (folder) {
      const uri = Uri.joinPath(folder, PRACTICE_FILE);
      const error = errorsOf(uri)[0];
      const options: TextDocumentShowOptions = { viewColumn: ViewColumn.One, preview: false, ...(error ? { selection: error.range } : {}) };
      await window.showTextDocument(uri, options);
    }
  }

  /** A window that was opened before its folder was trusted may go on without VS Code's TypeScript. The next one has it. */
  async #reload(): Promise<void> {
    const record = this.#record();
    // Where TypeScript is switched off, once is enough.
    if (!record || record.isReloaded) {
      return this.#show();
    }
    await this.context.globalState.update(KEY, { ...record, isNew: true, isReloaded: true } satisfies PracticeRecord);
    await commands.executeCommand("workbench.action.reloadWindow");
  }

  #update(): void {
    const state = this.#findState();
    if (state !== this.#state) {
      this.#state = state;
      void commands.executeCommand("setContext", KEY, state);
    }
  }

  #findState(): PracticeState | undefined {
    const folder = this.#folder();
    if (!folder) {
      return undefined;
    }
    const uri = Uri.joinPath(folder, PRACTICE_FILE);
    if (this.reviews.store.hasDocument(uriKey(uri))) {
      this.#wasProposed = true;
      return "proposed";
    } else if (errorsOf(uri).length > 0) {
      return "broken";
    }
    return this.#wasProposed ? "repaired" : "open";
  }
}

function errorsOf(uri: Uri) {
  return languages.getDiagnostics(uri).filter(({ severity }) => severity === DiagnosticSeverity.Error);
}
