// Makes the language client that runs `copydesk lsp`.
//
// Contract: the client only carries messages. It syncs no documents (src/documents does), shows no dialogs, and never restarts by
// itself (`Connection` does). The library is loaded at the first connection, to keep activation short. Its trace names messages and has
// none of their content, whatever `copydesk.trace.server` says: keys and texts of documents are in there.

import type { LogOutputChannel } from "vscode";
import { workspace } from "vscode";
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  LanguageClient,
  LanguageClientOptions,
} from "vscode-languageclient/node";
import { PROTOCOL } from "copydesk-protocol";
import type { ClientHello } from "copydesk-protocol";
import { log } from "./log";

export interface ClientEvents {
  applyEdit: (params: ApplyWorkspaceEditParams) => Promise<ApplyWorkspaceEditResult>;
  closed: () => void;
}

/** The channel, which gets the first line of a trace: the message's name. A trace as JSON is left out. */
function withoutContent(channel: LogOutputChannel): LogOutputChannel {
  const trace = (text: string) => text.startsWith("{") || channel.trace(text.split("\n", 1)[0] ?? "");
  return Object.create(channel, { trace: { value: trace } });
}

/** Makes a client that is not started yet. */
export async function createClient(path: string, version: string, events: ClientEvents): Promise<LanguageClient> {
  const library = await import("vscode-languageclient/node");
  const hello: ClientHello = { protocol: PROTOCOL, client: "vscode", version };
  const options: LanguageClientOptions = {
    documentSelector: [],
    initializationOptions: { copydesk: hello },
    outputChannel: log(),
    traceOutputChannel: withoutContent(log()),
    revealOutputChannelOn: library.RevealOutputChannelOn.Never,
    // `retry` of the protocol's own error is always false, and no dialog is wanted here.
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: library.ErrorAction.Continue, handled: true }),
      closed: () => {
        events.closed();
        return { action: library.CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: { workspace: { handleApplyEdit: (params) => events.applyEdit(params) } },
  };
  // The first folder, so that a relative path in the program's own environment means the same as in a terminal there.
  const cwd = workspace.workspaceFolders?.find((folder) => folder.uri.scheme === "file")?.uri.fsPath;
  /** The library shows some failures itself, and does not say what to do. `Connection` does. */
  class QuietClient extends library.LanguageClient {
    override error(message: string, data?: unknown): void {
      super.error(message, data, false);
    }
  }
  return new QuietClient("copydesk", "Copydesk", { command: path, args: ["lsp"], options: { cwd } }, options);
}
