// Activation: registers everything and does nothing else.
//
// Contract: no program runs in a folder that is not trusted, and none before the first use.

import type { ExtensionContext } from "vscode";
import { workspace } from "vscode";
import { ChatViews } from "./chat/chatViews";
import { registerCommands } from "./commands/table";
import { Desk } from "./desk";

let desk: Desk | undefined;

export function activate(context: ExtensionContext): void {
  const made = new Desk(context);
  desk = made;
  context.subscriptions.push(made, new ChatViews(made), ...registerCommands(made));
  context.subscriptions.push(
    workspace.onDidGrantWorkspaceTrust(() => void made.resume()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("copydesk.path") && made.connection.state === "failed") {
        // The failure was about another program.
        void made.connection.stop().then(() => made.resume());
      }
    }),
  );
  void made.resume();
  void made.practice.resume();
}

/** VS Code waits for the connection to end. */
export async function deactivate(): Promise<void> {
  await desk?.connection.stop();
}
