// The folder in which this window's sessions work.
//
// Contract: in a workspace of several folders it is that of the active document, else the first. Without a folder it is that of the
// active file; without one there is none, and a session cannot be created.

import { dirname } from "node:path";
import { window, workspace } from "vscode";
import { DaemonError } from "../daemon/requests";

/** An absolute path on the machine of the extension host, which is the daemon's. */
export function sessionFolder(): string {
  const active = window.activeTextEditor?.document.uri;
  const own = active && workspace.getWorkspaceFolder(active);
  const folder = own ?? workspace.workspaceFolders?.find((one) => one.uri.scheme === "file");
  if (folder?.uri.scheme === "file") {
    return folder.uri.fsPath;
  } else if (active?.scheme === "file") {
    return dirname(active.fsPath);
  }
  throw new DaemonError("Copydesk works in a folder: open one first (File > Open Folder).");
}
