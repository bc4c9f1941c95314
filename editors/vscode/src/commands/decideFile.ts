// `copydesk.review.acceptFile` and `.rejectFile`: decide everything in a file.

import type { ReviewVerdict } from "copydesk-protocol";
import { window } from "vscode";
import type { Desk } from "../desk";
import { documentOf } from "../documents/openDocuments";

export function decideFile(verdict: ReviewVerdict) {
  return async (desk: Desk, argument?: unknown): Promise<void> => {
    const { reviews, decider, targets } = desk.review;
    const uri = targets.ofFile(argument)[0]?.uri;
    const document = uri === undefined ? undefined : documentOf(uri);
    if (document) {
      await reviews.settle(document);
    }
    const found = targets.ofFile(argument);
    const first = found[0];
    if (!first) {
      void window.showInformationMessage("Nothing in this file is undecided.");
      return;
    }
    await decider.reviewsAll(found, verdict, first.path);
  };
}
