// `copydesk.preset`: chooses what runs unasked in the current session, from the next call on.

import type { PermissionPresetInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";

interface PresetItem extends QuickPickItem {
  preset?: PermissionPresetInfo;
}

const presets: PresetItem[] = [
  { label: "careful", detail: "Everything that changes or runs something asks.", preset: "careful" },
  { label: "normal", detail: "Commands that only read run unasked; with the sandbox, builds and tests, too.", preset: "normal" },
  { label: "trusting", detail: "Edits and commands inside the workspace run unasked; secrets, the network and other folders ask.", preset: "trusting" },
  { label: "as configured", detail: "The configuration chooses." },
];

export async function choosePreset(desk: Desk): Promise<void> {
  const { id, session } = await desk.sessions.ensure();
  const describe = (item: PresetItem) => (item.preset === session.preset ? "current" : item.preset === session.activePreset ? "configured" : "");
  const items = presets.map((item) => ({ ...item, description: describe(item) }));
  const chosen = await window.showQuickPick(items, { title: "What runs unasked in this session" });
  if (chosen) {
    await desk.connection.request("copydesk/session/setPreset", { session: id, preset: chosen.preset });
  }
}
