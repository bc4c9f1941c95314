// `copydesk.waiting.allow`: allows this call.

import type { Desk } from "../../desk";
import { allow } from "../../waiting/permissionPick";
import { askOf } from "./target";

export function allowOnce(desk: Desk, argument?: unknown): void {
  const ask = askOf(desk, argument);
  if (ask?.kind === "permission") {
    allow(desk.askViews, ask, "once");
  }
}
