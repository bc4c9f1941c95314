// Tells the user that something waits: a notification, which cannot show the ask itself.
//
// Contract: the focus stays. The notification may be dismissed; the status bar still counts the ask.

import { Disposable, window } from "vscode";
import { oneLine } from "../sessions/partText";
import type { Asks } from "./asks";
import { pickPermission } from "./permissionPick";

const ANSWER = "Answer…";

export function announceAsks(asks: Asks): Disposable {
  return asks.onDidOpen((ask) => {
    void window.showInformationMessage(`Copydesk asks: ${oneLine(ask.params.title)}`, ANSWER).then((choice) => {
      if (choice === ANSWER && asks.get(ask.params.ask) === ask) {
        pickPermission(asks, ask);
      }
    });
  });
}
