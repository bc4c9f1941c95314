// `copydesk.waiting.answer`: opens the ask that waits, the one that the user chooses, or the one whose id is given.

import type { Desk } from "../../desk";
import { openAnyAsk, openAsk } from "../../waiting/openAsk";
import { askId } from "./target";

export async function answer(desk: Desk, argument?: unknown): Promise<void> {
  const id = askId(argument);
  await (id === undefined ? openAnyAsk(desk.askViews) : openAsk(desk.askViews, id));
}
