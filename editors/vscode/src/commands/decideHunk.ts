// `copydesk.review.accept` and `.reject`: decide a given hunk, the selected lines, or the hunk at the cursor.

import type { ReviewVerdict } from "copydesk-protocol";
import { window, workspace } from "vscode";
import type { Desk } from "../desk";
import { stepHunk } from "../review/navigate";
import { hunkArgument, reviewArgument } from "../review/target";

export function decideHunk(verdict: ReviewVerdict) {
  return async (desk: Desk, argument?: unknown): Promise<void> => {
    const { reviews, decider, targets } = desk.review;
    const hunk = hunkArgument(argument);
    const review = reviews.store.review(reviewArgument(argument) ?? "");
    if (hunk === undefined && review) {
      await decider.reviewsAll([review], verdict, review.path);
      return;
    }
    const decisions = await targets.decisions(argument, verdict);
    if (decisions.length === 0) {
      const what = hunk === undefined ? "There is nothing to decide here." : "This hunk is decided already.";
      void window.showInformationMessage(`${what} "Copydesk: Next Hunk" goes to the next one.`);
      return;
    }
    const written = verdict === "reject" && decisions.map(({ decision }) => reviews.find(decision.hunk)?.review).find((one) => one?.writing);
    if (written) {
      // It cannot be decided yet, but it can be cancelled.
      await desk.connection.request("copydesk/inline/cancel", { session: written.session, review: written.id });
      return;
    }
    const isDone = await decider.send(decisions);
    if (isDone && hunk === undefined && workspace.getConfiguration("copydesk.review").get("advance", false)) {
      await stepHunk(reviews, 1);
    }
  };
}
