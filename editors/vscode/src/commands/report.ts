// How commands fail: one notification with the button that helps.
//
// Contract: every command runs inside `reporting`, so that no error is lost and none is shown twice.

import { commands, env, window, workspace } from "vscode";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import type { Desk } from "../desk";

/** Its page tells how to install the program. */
const EXTENSION = "copydesk.copydesk";

async function reportMissing(problem: string): Promise<void> {
  const choice = await window.showErrorMessage(problem, "Set the path…", "How to install");
  if (choice === "Set the path…") {
    // In a remote window the program is there, and so is the setting.
    const settings = env.remoteName ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings";
    await commands.executeCommand(settings, "copydesk.path");
  } else if (choice === "How to install") {
    await commands.executeCommand("extension.open", EXTENSION);
  }
}

async function reportUntrusted(problem: string): Promise<void> {
  const choice = await window.showInformationMessage(problem, "Manage Trust");
  if (choice) {
    await commands.executeCommand("workbench.trust.manage");
  }
}

async function reportFailed(problem: string): Promise<void> {
  const choice = await window.showErrorMessage(problem, "Restart", "Show Log");
  if (choice) {
    await commands.executeCommand(choice === "Restart" ? "copydesk.restart" : "copydesk.showLog");
  }
}

/** Shows why a command failed. */
export async function report(desk: Desk, error: unknown): Promise<void> {
  const problem = problemOf(error);
  log().error(problem);
  if (!workspace.isTrusted) {
    return reportUntrusted(problem);
  } else if (desk.connection.problem?.isMissing) {
    return reportMissing(problem);
  } else if (desk.connection.state === "failed") {
    return reportFailed(problem);
  }
  await window.showErrorMessage(problem);
}

/** Runs a command and shows its failure. */
export async function reporting(desk: Desk, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    // Not awaited: the command is over, though the notification may stay for long.
    void report(desk, error);
  }
}
