// `copydesk.review.timing`: whether the session's edits are reviewed before or after they are made, from the next edit on.
//
// An argument `{ review: "before" | "after" | "rules" }` answers the question, for keybindings.

import type { ReviewTimingInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";

interface TimingItem extends QuickPickItem {
  review?: ReviewTimingInfo;
}

/** The timing in a command's argument; `rules` leaves it to the rules. */
function givenTiming(argument: unknown): TimingItem | undefined {
  const review = typeof argument === "object" && argument !== null && "review" in argument ? argument.review : undefined;
  if (review === "before" || review === "after") {
    return { label: review, review };
  }
  return review === "rules" ? { label: review } : undefined;
}

async function askForTiming(current: ReviewTimingInfo | undefined): Promise<TimingItem | undefined> {
  const items: TimingItem[] = [
    { label: "After", detail: "Edits are made at once; you accept or reject them in the document.", review: "after" },
    { label: "Before", detail: "An edit is a proposal; nothing changes before you accept it.", review: "before" },
    { label: "As the rules say", detail: "`edit: ask` in copydesk.jsonc is before, `edit: allow` is after." },
  ];
  items.forEach((item) => (item.description = item.review === current ? "current" : ""));
  return window.showQuickPick(items, { title: "When do you review the edits of this session?" });
}

export async function reviewTiming(desk: Desk, argument?: unknown): Promise<void> {
  const view = await desk.sessions.ensure();
  const chosen = givenTiming(argument) ?? (await askForTiming(view.session.review));
  if (chosen) {
    const params = chosen.review === undefined ? {} : { review: chosen.review };
    await desk.connection.request("copydesk/session/setReview", { session: view.id, ...params });
  }
}
