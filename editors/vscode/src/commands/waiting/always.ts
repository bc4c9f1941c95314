// `copydesk.waiting.always`, `.alwaysInProject` and `.editAlways`: always allows what an ask offers, or what the user makes of it. Refused if
// the ask does not offer it.

import type { AlwaysScopeInfo } from "copydesk-protocol";
import type { Desk } from "../../desk";
import { editAlways } from "../../waiting/alwaysEdit";
import type { PermissionAsk } from "../../waiting/asks";
import { allow } from "../../waiting/permissionPick";
import { askOf } from "./target";

function offeredAsk(desk: Desk, argument: unknown): PermissionAsk | undefined {
  const ask = askOf(desk, argument);
  if (ask && (ask.kind !== "permission" || ask.params.always.length === 0)) {
    throw new Error("This can only be allowed once.");
  }
  return ask?.kind === "permission" ? ask : undefined;
}

export function allowAlways(scope: AlwaysScopeInfo): (desk: Desk, argument?: unknown) => void {
  return (desk, argument) => {
    const ask = offeredAsk(desk, argument);
    if (ask) {
      allow(desk.askViews, ask, scope);
    }
  };
}

export async function editAllowed(desk: Desk, argument?: unknown): Promise<void> {
  const ask = offeredAsk(desk, argument);
  if (ask) {
    await editAlways(desk.askViews, ask);
  }
}
