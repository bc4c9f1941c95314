// `copydesk.sessions`: opens, renames or deletes a session of this folder, or begins a new one.

import type { QuickInputButton, QuickPickItem } from "vscode";
import { ThemeIcon, window } from "vscode";
import type { SessionInfo } from "copydesk-protocol";
import type { Desk } from "../desk";
import { sessionFolder } from "../sessions/folder";
import { sessionName } from "../sessions/view";

const RENAME: QuickInputButton = { iconPath: new ThemeIcon("edit"), tooltip: "Rename" };
const DELETE: QuickInputButton = { iconPath: new ThemeIcon("trash"), tooltip: "Delete" };

interface SessionItem extends QuickPickItem {
  session?: SessionInfo;
}

function ago(time: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - time) / 60_000));
  return minutes < 60 ? `${minutes} min ago` : minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : new Date(time).toLocaleDateString();
}

async function list(desk: Desk): Promise<SessionItem[]> {
  const folder = sessionFolder();
  const [{ sessions }, pending] = await Promise.all([
    desk.connection.request("copydesk/session/list", { folder }),
    desk.connection.request("copydesk/session/pending", { folder }),
  ]);
  const items = sessions.map((session): SessionItem => {
    const needs = pending.sessions.find((one) => one.session.id === session.id);
    const state = needs?.waiting ? "waits for you" : needs?.running ? "running" : undefined;
    const hunks = needs?.undecided ? `${needs.undecided} undecided` : undefined;
    const isCurrent = session.id === desk.sessions.current?.id;
    const description = [isCurrent ? "current" : undefined, state, hunks, ago(session.updated)].filter(Boolean).join(", ");
    return { label: sessionName(session), description, session, buttons: [RENAME, DELETE] };
  });
  return [{ label: "$(add) New session" }, ...items];
}

async function rename(desk: Desk, session: SessionInfo): Promise<void> {
  const title = await window.showInputBox({ prompt: "The session's title", value: session.title });
  if (title) {
    await desk.connection.request("copydesk/session/rename", { session: session.id, title });
  }
}

async function remove(desk: Desk, session: SessionInfo): Promise<void> {
  const question = `Delete the session “${sessionName(session)}” and its history? Files stay as they are.`;
  if ((await window.showWarningMessage(question, { modal: true }, "Delete")) === "Delete") {
    await desk.connection.request("copydesk/session/delete", { session: session.id });
  }
}

/** What the user chose, or undefined. */
function choose(items: SessionItem[]): Promise<{ item: SessionItem; button?: QuickInputButton } | undefined> {
  return new Promise((resolve) => {
    const pick = window.createQuickPick<SessionItem>();
    pick.title = "Copydesk sessions of this folder";
    pick.items = items;
    pick.matchOnDescription = true;
    pick.onDidTriggerItemButton(({ item, button }) => (resolve({ item, button }), pick.hide()));
    pick.onDidAccept(() => {
      const item = pick.selectedItems[0];
      resolve(item && { item });
      pick.hide();
    });
    pick.onDidHide(() => (resolve(undefined), pick.dispose()));
    pick.show();
  });
}

export async function sessions(desk: Desk): Promise<void> {
  const chosen = await choose(await list(desk));
  const session = chosen?.item.session;
  if (!chosen) {
    return;
  } else if (!session) {
    await desk.sessions.create();
  } else if (chosen.button === RENAME) {
    return rename(desk, session);
  } else if (chosen.button === DELETE) {
    return remove(desk, session);
  } else {
    await desk.sessions.open(session.id);
  }
  desk.showConversation();
}
