// `copydesk.model`: chooses the model of the current session, from its next turn on. Servers of the daemon's machine are asked for theirs.

import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";
import { oneLine } from "../sessions/partText";

interface ModelItem extends QuickPickItem {
  id: string;
}

/** Chooses among all models, or among those of a provider. */
export async function chooseModel(desk: Desk, argument?: unknown): Promise<void> {
  const provider = typeof argument === "string" ? `${argument}/` : "";
  const view = await desk.sessions.ensure();
  const { folder, agent, model } = view.session;
  const result = await desk.connection.request("copydesk/models", { folder, agent, local: true });
  const current = model ?? result.default;
  const models = result.models.filter((one) => one.id.startsWith(provider));
  const items = models.map((one): ModelItem => {
    const notes = [one.id === current ? "current" : undefined, one.local ? "local" : undefined, one.offline ? "built in, can do little" : undefined];
    const context = one.context === undefined ? undefined : `${Math.round(one.context / 1000)}k tokens`;
    return { id: one.id, label: oneLine(one.name), description: oneLine(one.provider), detail: [...notes, context].filter(Boolean).join(", ") };
  });
  const chosen = await window.showQuickPick(items, { title: "Model of this session", matchOnDescription: true });
  if (chosen) {
    await desk.connection.request("copydesk/session/setModel", { session: view.id, model: chosen.id });
  }
}
