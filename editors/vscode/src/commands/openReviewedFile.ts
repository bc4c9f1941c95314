// `copydesk.review.openFile`: shows a file of the review tree at its hunk; a proposal as a diff.

import { window } from "vscode";
import type { Desk } from "../desk";
import { openReview } from "../review/navigate";
import { hunkArgument, reviewArgument } from "../review/target";

export async function openReviewedFile(desk: Desk, argument?: unknown): Promise<void> {
  const { reviews, targets } = desk.review;
  const review = reviews.store.review(reviewArgument(argument) ?? "") ?? targets.ofFile(argument)[0];
  if (!review) {
    void window.showInformationMessage("Nothing in this file is undecided.");
    return;
  }
  await openReview(reviews, review, hunkArgument(argument));
}
