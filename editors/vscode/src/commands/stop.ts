// `copydesk.stop`: cancels the running turn.

import { window } from "vscode";
import type { Desk } from "../desk";

export async function stop(desk: Desk): Promise<void> {
  if (!(await desk.prompts.cancel())) {
    void window.showInformationMessage("No turn of Copydesk runs in this window.");
  }
}
