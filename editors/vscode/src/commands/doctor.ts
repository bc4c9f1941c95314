// `copydesk.doctor`: what `copydesk doctor` finds, in a read-only document.

import { ProgressLocation, window, workspace } from "vscode";
import { runBinary } from "../daemon/binary";
import { DaemonError } from "../daemon/requests";
import type { Desk } from "../desk";
import { limits } from "../timeLimits";

export async function doctor(desk: Desk): Promise<void> {
  const binary = desk.connection.binary();
  if (!workspace.isTrusted) {
    throw new DaemonError("Copydesk runs nothing in a folder that you do not trust.");
  } else if ("problem" in binary) {
    // Connecting fails in the same way, and its report has the button that helps.
    await desk.connection.start();
    return;
  }
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const progress = { location: ProgressLocation.Window, title: "copydesk doctor" };
  const output = await window.withProgress(progress, () => runBinary(binary.path, ["doctor"], folder, limits.command));
  const own = `VS Code extension ${desk.connection.version}, connection: ${desk.connection.state}, program: ${binary.path}\n\n`;
  await desk.texts.show("copydesk doctor", own + output);
}
