// Opens an ask: a quick pick with its choices, or its questions.

import { window } from "vscode";
import { limits } from "../timeLimits";
import type { AskViews } from "./askViews";
import { pickPermission } from "./permissionPick";
import { answerQuestions } from "./questionPick";

/** Opens the ask of an id, if it is still open. */
export async function openAsk(views: AskViews, id: string): Promise<void> {
  const ask = views.asks.get(id);
  if (ask?.kind === "permission") {
    await pickPermission(views, ask);
  } else if (ask) {
    await answerQuestions(views, ask);
  } else {
    // Not another notification: the old one, which VS Code keeps, would seem to come back.
    window.setStatusBarMessage("Copydesk: this was answered, or is asked no more.", limits.statusMessage);
  }
}

/** Opens the only open ask, or the one that the user chooses. */
export async function openAnyAsk(views: AskViews): Promise<void> {
  if (views.asks.all().length === 0) {
    void window.showInformationMessage("Nothing of Copydesk waits for you.");
    return;
  }
  const ask = await views.choose();
  if (ask) {
    await openAsk(views, ask.id);
  }
}
