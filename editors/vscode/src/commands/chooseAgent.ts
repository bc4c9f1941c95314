// `copydesk.agent`: chooses the agent of the current session, from its next turn on.

import { window } from "vscode";
import type { Desk } from "../desk";
import { oneLine } from "../sessions/partText";

export async function chooseAgent(desk: Desk): Promise<void> {
  const view = await desk.sessions.ensure();
  const { agents } = await desk.connection.request("copydesk/agents", { folder: view.session.folder });
  const items = agents.map(({ name, description }) => ({
    label: name,
    description: name === view.session.agent ? "current" : "",
    detail: oneLine(description),
  }));
  const chosen = await window.showQuickPick(items, { title: "Agent of this session" });
  if (chosen) {
    await desk.connection.request("copydesk/session/setAgent", { session: view.id, agent: chosen.label });
  }
}
