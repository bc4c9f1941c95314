// `copydesk.status`: what Copydesk does now, and what can be done next, as a quick pick.

import type { QuickPickItem } from "vscode";
import { commands, window } from "vscode";
import { problemOf } from "../daemon/requests";
import type { Desk } from "../desk";
import { sessionName } from "../sessions/view";

interface StatusItem extends QuickPickItem {
  command?: string;
}

async function daemonItem(desk: Desk): Promise<StatusItem> {
  try {
    const { version, pid, sessions, servers } = await desk.connection.request("copydesk/status", {});
    const names = (servers ?? []).map((server) => `${server.name}${server.sandboxed ? " (in the sandbox)" : ""}`).join(", ");
    const detail = `process ${pid}, ${sessions.length} sessions${names ? `, language servers: ${names}` : ""}`;
    return { label: `$(pass) Daemon ${version}`, detail };
  } catch (error) {
    return { label: "$(error) No connection", detail: problemOf(error), command: "copydesk.restart" };
  }
}

function sessionItem(desk: Desk): StatusItem {
  const view = desk.sessions.current;
  if (!view) {
    return { label: "$(comment) No session yet", detail: "The first prompt starts one.", command: "copydesk.ask" };
  }
  const state = view.running === undefined ? "idle" : "a turn runs";
  const { agent, model } = view.session;
  const detail = [state, agent, model].filter(Boolean).join(", ");
  return { label: `$(comment) ${sessionName(view.session)}`, detail, command: "copydesk.chat.open" };
}

export async function status(desk: Desk): Promise<void> {
  const pick = window.createQuickPick<StatusItem>();
  pick.title = "Copydesk";
  pick.busy = true;
  pick.show();
  pick.onDidHide(() => pick.dispose());
  pick.onDidAccept(() => {
    const command = pick.selectedItems[0]?.command;
    pick.hide();
    if (command) {
      void commands.executeCommand(command);
    }
  });
  const daemon = await daemonItem(desk);
  const isRunning = desk.sessions.current?.running !== undefined;
  pick.items = [
    daemon,
    sessionItem(desk),
    { label: "$(send) Ask…", command: "copydesk.ask" },
    ...(isRunning ? [{ label: "$(debug-stop) Stop the turn", command: "copydesk.stop" }] : []),
    { label: "$(output) Show the log", command: "copydesk.showLog" },
    { label: "$(refresh) Connect again", command: "copydesk.restart" },
  ];
  pick.busy = false;
}
