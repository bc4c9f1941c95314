// Files that change on the disk, which language servers read a little later.
//
// Contract: the daemon's own changes are reported at once, for every server; others when VS Code tells its extensions, and only those of
// files that the built-in TypeScript reads: it is the one server that is asked about a text.

import { Disposable, workspace } from "vscode";
import type { Uri } from "vscode";
import type { Connection } from "../daemon/connection";
import type { ServerKind } from "./virtualServer";

const WATCHED = "**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,json}";
/** LSP's `FileChangeType`. */
const TYPES = { created: 1, written: 2, deleted: 3 };

export interface DiskChange {
  uri: string;
  type: number;
}

export class DiskChanges implements Disposable {
  readonly #disposables: Disposable[];

  constructor(connection: Connection, report: (change: DiskChange, kind?: ServerKind) => void) {
    const watcher = workspace.createFileSystemWatcher(WATCHED);
    const reportUri = (type: number) => (uri: Uri) => report({ uri: uri.toString(), type }, "typescript");
    this.#disposables = [
      watcher,
      watcher.onDidCreate(reportUri(TYPES.created)),
      watcher.onDidChange(reportUri(TYPES.written)),
      watcher.onDidDelete(reportUri(TYPES.deleted)),
    ];
    connection.onNotification("copydesk/document/changed", ({ uri, reason }) => report({ uri, type: TYPES[reason] }));
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }
}
