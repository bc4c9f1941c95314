// `copydesk.waiting.answer`: opens the oldest ask that waits, or the one whose id is given.

import { window } from "vscode";
import type { Desk } from "../desk";
import { pickPermission } from "../waiting/permissionPick";

export function answerWaiting(desk: Desk, id?: unknown): void {
  const ask = typeof id === "string" ? desk.asks.get(id) : desk.asks.all()[0];
  if (ask) {
    pickPermission(desk.asks, ask);
  } else {
    void window.showInformationMessage("Nothing of Copydesk waits for you.");
  }
}
