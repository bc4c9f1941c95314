// `copydesk.review.next` and `.previous`: go to the next undecided hunk, also in another file.

import { window } from "vscode";
import type { Desk } from "../desk";
import { stepHunk } from "../review/navigate";

export function goToHunk(step: 1 | -1) {
  return async (desk: Desk): Promise<void> => {
    if (!(await stepHunk(desk.review.reviews, step))) {
      void window.showInformationMessage("Nothing is undecided.");
    }
  };
}
