// `copydesk.undo` and `copydesk.redo`: revert the agent's edits of the last turn that has any, and the last undo.
//
// The daemon does the work; the user's own text stays.

import type { UndoneFile, UndoScope } from "copydesk-protocol";
import { window } from "vscode";
import { DaemonError } from "../daemon/requests";
import { shownPath } from "../documents/save";
import type { Desk } from "../desk";
import { oneLine } from "../sessions/partText";
import type { SessionView } from "../sessions/view";

function currentSession(desk: Desk): SessionView {
  const view = desk.sessions.current;
  if (!view) {
    throw new DaemonError('No session is open. "Copydesk: Sessions" opens one.');
  }
  return view;
}

/** Why a file was left as it is. */
function reasonOf({ uri, message, outcome }: UndoneFile): string {
  const reason = message ?? (outcome === "gone" ? "it no longer exists" : "you changed the same lines");
  return `${shownPath(uri)}: ${oneLine(reason)}`;
}

function reportFiles(files: readonly UndoneFile[], done: string): void {
  const changed = files.filter((file) => file.outcome === "undone").map((file) => shownPath(file.uri));
  const left = files.filter((file) => file.outcome === "conflict" || file.outcome === "gone");
  if (changed.length > 0) {
    void window.showInformationMessage(`${done}: ${changed.join(", ")}`);
  }
  if (left.length > 0) {
    void window.showWarningMessage(`Left as they are: ${left.map(reasonOf).join("; ")}`);
  }
}

/** Reverts the agent's edits of a scope; without one, those of the last turn with edits that are not undone. */
export async function undoEdits(desk: Desk, what?: UndoScope): Promise<void> {
  const view = currentSession(desk);
  const { files } = await desk.connection.request("copydesk/undo", { session: view.id, ...(what ? { what } : {}) });
  if (files.length === 0) {
    void window.showInformationMessage("There is nothing to undo.");
  } else {
    reportFiles(files, "Undone");
  }
}

export async function undo(desk: Desk): Promise<void> {
  await undoEdits(desk);
}

export async function redo(desk: Desk): Promise<void> {
  const view = currentSession(desk);
  const { files } = await desk.connection.request("copydesk/redo", { session: view.id });
  if (files.length === 0) {
    void window.showInformationMessage("There is nothing to redo.");
  } else {
    reportFiles(files, "Redone");
  }
}
