// `copydesk.review.acceptAll` and `.rejectAll`: decide everything, in all attached sessions.

import type { ReviewVerdict } from "copydesk-protocol";
import { window } from "vscode";
import type { Desk } from "../desk";

export function decideAll(verdict: ReviewVerdict) {
  return async (desk: Desk): Promise<void> => {
    const { reviews, decider } = desk.review;
    const all = reviews.store.all();
    const files = new Set(all.map((review) => review.uri)).size;
    const first = all[0];
    if (!first) {
      void window.showInformationMessage("Nothing is undecided.");
      return;
    }
    await decider.reviewsAll(all, verdict, files === 1 ? first.path : `${files} files`);
  };
}
