// `copydesk.waiting.allow` and `copydesk.waiting.always`: the tree's buttons. `always` is refused if the ask does not offer it.

import type { Desk } from "../../desk";
import { allow } from "../../waiting/permissionPick";
import { askOf } from "./target";

export function allowOnce(desk: Desk, argument?: unknown): void {
  const ask = askOf(desk, argument);
  if (ask?.kind === "permission") {
    allow(desk.askViews, ask, "once");
  }
}

export function allowAlways(desk: Desk, argument?: unknown): void {
  const ask = askOf(desk, argument);
  if (ask?.kind === "permission" && ask.params.always.length > 0) {
    allow(desk.askViews, ask, "always");
  } else if (ask) {
    throw new Error("This can only be allowed once.");
  }
}
