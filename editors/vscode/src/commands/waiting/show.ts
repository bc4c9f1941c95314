// `copydesk.waiting.show`: shows an ask in full; an edit in its review, if its hunks wait there.

import type { Desk } from "../../desk";
import { askOf } from "./target";

export async function showAsk(desk: Desk, argument?: unknown): Promise<void> {
  const ask = askOf(desk, argument) ?? (await desk.askViews.choose());
  if (!ask) {
    return;
  } else if (desk.askViews.reviews.hunksOf(ask.id) > 0) {
    await desk.askViews.reviews.show(ask.id);
  } else {
    await desk.askViews.documents.show(ask, false);
  }
}
