// `copydesk.review.timing`: whether the session's edits are reviewed before or after they are made, from the next edit on.

import type { ReviewTimingInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";

interface TimingItem extends QuickPickItem {
  review?: ReviewTimingInfo;
}

export async function reviewTiming(desk: Desk): Promise<void> {
  const view = await desk.sessions.ensure();
  const items: TimingItem[] = [
    { label: "After", detail: "Edits are made at once; you accept or reject them in the document.", review: "after" },
    { label: "Before", detail: "An edit is a proposal; nothing changes before you accept it.", review: "before" },
    { label: "As the rules say", detail: "`edit: ask` in copydesk.jsonc is before, `edit: allow` is after." },
  ];
  items.forEach((item) => (item.description = item.review === view.session.review ? "current" : ""));
  const chosen = await window.showQuickPick(items, { title: "When do you review the edits of this session?" });
  if (chosen) {
    const params = chosen.review === undefined ? {} : { review: chosen.review };
    await desk.connection.request("copydesk/session/setReview", { session: view.id, ...params });
  }
}
