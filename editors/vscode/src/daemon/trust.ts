// VS Code has asked the user whether they trust the folders of this window. The daemon is told, so that it does not ask again.
//
// Contract: the connection only exists in a trusted window, so every folder of it is trusted.

import { Disposable, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Connection } from "./connection";
import { log } from "./log";
import type { DaemonParams } from "./requests";
import { problemOf } from "./requests";

function passOn(client: LanguageClient | undefined): void {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  for (const { uri } of client ? folders : []) {
    const params: DaemonParams<"copydesk/trust/set"> = { folder: uri.fsPath, trusted: true, passedOn: true };
    client
      ?.sendRequest("copydesk/trust/set", params)
      .catch((error: unknown) => log().warn(`the daemon was not told that ${uri.fsPath} is trusted: ${problemOf(error)}`));
  }
}

export function passOnTrust(connection: Connection): Disposable {
  return Disposable.from(
    connection.onDidConnect(passOn),
    workspace.onDidChangeWorkspaceFolders(() => passOn(connection.client)),
  );
}
