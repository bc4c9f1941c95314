// `copydesk.model`: chooses the model of the current session, from its next turn on.

import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";
import { oneLine } from "../sessions/partText";

interface ModelItem extends QuickPickItem {
  id: string;
}

export async function chooseModel(desk: Desk): Promise<void> {
  const view = await desk.sessions.ensure();
  const { folder, agent, model } = view.session;
  const result = await desk.connection.request("copydesk/models", { folder, agent });
  const current = model ?? result.default;
  const items = result.models.map((one): ModelItem => {
    const notes = [one.id === current ? "current" : undefined, one.local ? "local" : undefined, one.offline ? "built in, can do little" : undefined];
    const context = one.context === undefined ? undefined : `${Math.round(one.context / 1000)}k tokens`;
    return { id: one.id, label: oneLine(one.name), description: oneLine(one.provider), detail: [...notes, context].filter(Boolean).join(", ") };
  });
  const chosen = await window.showQuickPick(items, { title: "Model of this session", matchOnDescription: true });
  if (chosen) {
    await desk.connection.request("copydesk/session/setModel", { session: view.id, model: chosen.id });
  }
}
