// `copydesk.waiting.reject` and `copydesk.waiting.rejectWithReason`: the tree's buttons, for asks and for questions.

import type { Desk } from "../../desk";
import { reject, rejectWithReason } from "../../waiting/permissionPick";
import { refuseQuestions, saySomethingElse } from "../../waiting/questionPick";
import { askOf } from "./target";

export function rejectAsk(desk: Desk, argument?: unknown): void {
  const ask = askOf(desk, argument);
  if (ask?.kind === "permission") {
    reject(desk.askViews, ask);
  } else if (ask) {
    refuseQuestions(desk.askViews, ask);
  }
}

export async function rejectAskWithReason(desk: Desk, argument?: unknown): Promise<void> {
  const ask = askOf(desk, argument);
  if (ask?.kind === "permission") {
    await rejectWithReason(desk.askViews, ask);
  } else if (ask) {
    await saySomethingElse(desk.askViews, ask);
  }
}
