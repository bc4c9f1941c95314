// `copydesk.restart`: connects again, also after a failure. The daemon and its turns continue.

import { window } from "vscode";
import type { Desk } from "../desk";

export async function restart(desk: Desk): Promise<void> {
  await desk.connection.restart();
  void window.showInformationMessage("Copydesk is connected again.");
}
