// `copydesk.sessions`: opens (also in a tab), searches, renames, exports or deletes a session of this folder, or begins a new one.
//
// Contract: what is typed filters the titles; the daemon searches the conversations for it at the same time. After a rename or a deletion
// the list is there again. Rows say what a session needs and which other clients show it.

import type { QuickInputButton, QuickPick, QuickPickItem } from "vscode";
import { commands, env, ThemeIcon, window } from "vscode";
import type { PendingSessionInfo, SessionInfo, SessionStatus } from "copydesk-protocol";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import type { Desk } from "../desk";
import { sessionFolder } from "../sessions/folder";
import { oneLine } from "../sessions/partText";
import { sessionName } from "../sessions/view";
import { exportConversation } from "./exportSession";

const RENAME: QuickInputButton = { iconPath: new ThemeIcon("edit"), tooltip: "Rename" };
const OPEN_IN_TAB: QuickInputButton = { iconPath: new ThemeIcon("split-horizontal"), tooltip: "Open in a tab" };
const EXPORT: QuickInputButton = { iconPath: new ThemeIcon("markdown"), tooltip: "Export as Markdown" };
const DELETE: QuickInputButton = { iconPath: new ThemeIcon("trash"), tooltip: "Delete" };
const BUTTONS = [OPEN_IN_TAB, RENAME, EXPORT, DELETE];
/** Shorter words are in every conversation. */
const MIN_QUERY = 3;

interface SessionItem extends QuickPickItem {
  session?: SessionInfo;
}

interface ChosenSession {
  item: SessionItem;
  button?: QuickInputButton;
}

function ago(time: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - time) / 60_000));
  return minutes < 60 ? `${minutes} min ago` : minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : new Date(time).toLocaleDateString();
}

/** Who else shows a session: `VS Code, Neovim`. Without this window, which is attached to its own. */
function elsewhere(desk: Desk, session: string, status: readonly SessionStatus[]): string | undefined {
  const names = [...(status.find((one) => one.session === session)?.attached ?? [])];
  const own = desk.sessions.get(session) ? names.indexOf(env.appName) : -1;
  names.splice(own, own < 0 ? 0 : 1);
  return names.length > 0 ? `open in ${oneLine([...new Set(names)].join(", "))}` : undefined;
}

function itemOf(desk: Desk, session: SessionInfo, needs: PendingSessionInfo | undefined, status: readonly SessionStatus[]): SessionItem {
  const [icon, state] = needs?.waiting ? ["bell-dot", "waits for you"] : needs?.running ? ["loading~spin", "running"] : ["comment", undefined];
  const notes = [
    session.id === desk.sessions.current?.id && "current",
    state,
    needs?.undecided && `${needs.undecided} undecided`,
    elsewhere(desk, session.id, status),
    ago(session.updated),
  ];
  return { label: `$(${icon}) ${sessionName(session)}`, description: notes.filter(Boolean).join(", "), session, buttons: BUTTONS };
}

async function list(desk: Desk): Promise<SessionItem[]> {
  const folder = sessionFolder();
  const [{ sessions }, pending, { sessions: status }] = await Promise.all([
    desk.connection.request("copydesk/session/list", { folder }),
    desk.connection.request("copydesk/session/pending", { folder }),
    desk.connection.request("copydesk/status", {}),
  ]);
  const need = (session: SessionInfo) => pending.sessions.find((one) => one.session.id === session.id);
  return [{ label: "$(add) New session" }, ...sessions.map((session) => itemOf(desk, session, need(session), status))];
}

/** Adds what the daemon finds in the conversations to the rows, once for each session. */
async function search(desk: Desk, pick: QuickPick<SessionItem>, items: readonly SessionItem[]): Promise<void> {
  const query = pick.value.trim();
  const { found } = query.length < MIN_QUERY ? { found: [] } : await desk.connection.request("copydesk/session/search", { query });
  if (query !== pick.value.trim()) {
    return;
  }
  pick.items = items.map((item) => {
    const match = found.find((one) => one.session === item.session?.id);
    return match ? { ...item, detail: oneLine(match.excerpt), alwaysShow: true } : item;
  });
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
function choose(desk: Desk, items: SessionItem[]): Promise<ChosenSession | undefined> {
  return new Promise((resolve) => {
    const pick = window.createQuickPick<SessionItem>();
    pick.title = "Copydesk sessions of this folder";
    pick.placeholder = "Search titles and conversations";
    pick.items = items;
    pick.matchOnDescription = true;
    pick.onDidChangeValue(() => {
      search(desk, pick, items).catch((error) => log().warn(`the sessions were not searched: ${problemOf(error)}`));
    });
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

/** Does what the user chose; whether the list is to be shown again. */
async function handle(desk: Desk, { item: { session }, button }: ChosenSession): Promise<boolean> {
  if (!session) {
    await desk.sessions.create();
  } else if (button === RENAME) {
    await rename(desk, session);
    return true;
  } else if (button === DELETE) {
    await remove(desk, session);
    return true;
  } else if (button === OPEN_IN_TAB) {
    await commands.executeCommand("copydesk.chat.openInTab", session.id);
    return false;
  } else if (button === EXPORT) {
    await exportConversation(desk, session.id);
    return false;
  } else {
    await desk.sessions.open(session.id);
  }
  await desk.showConversation();
  return false;
}

export async function sessions(desk: Desk): Promise<void> {
  for (let isOpen = true; isOpen;) {
    const chosen = await choose(desk, await list(desk));
    isOpen = chosen !== undefined && (await handle(desk, chosen));
  }
}
