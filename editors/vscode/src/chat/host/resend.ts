// Sends an earlier prompt again, edited.
//
// Contract: no message is lost: going back forks the session, and the original stays. Files change only if the user chooses so, and then
// by the daemon's undo, which leaves the user's own text alone.

import type { PartInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import { undoEdits } from "../../commands/undo";
import type { Desk } from "../../desk";
import type { SessionView } from "../../sessions/view";

interface ResendWay extends QuickPickItem {
  isFork: boolean;
  isUndo: boolean;
}

const WAYS: ResendWay[] = [
  {
    label: "Go back to before this prompt",
    detail: "A copy of the session without it and what followed; files stay as they are.",
    isFork: true,
    isUndo: false,
  },
  { label: "Go back, and undo the agent's edits since then", detail: "Your own edits stay.", isFork: true, isUndo: true },
  { label: "Copy it into the input", isFork: false, isUndo: false },
];

/** Asks the user how, and goes back; whether the prompt is to be put into the input. */
export async function chooseResend(desk: Desk, { id }: SessionView, part: PartInfo): Promise<boolean> {
  const way = await window.showQuickPick(WAYS, { title: "Send this prompt again" });
  if (!way) {
    return false;
  }
  if (way.isUndo) {
    await undoEdits(desk, { after: part.id });
  }
  if (way.isFork) {
    const { session } = await desk.connection.request("copydesk/session/fork", { session: id, before: part.id });
    await desk.sessions.open(session.id);
  }
  return true;
}
