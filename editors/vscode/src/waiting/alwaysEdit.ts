// What "always" allows, edited by the user before it is accepted.
//
// Contract: the daemon decides whether the patterns may be kept. If not, the ask comes again with the reason, and the user goes on with
// what they wrote. Leaving an input answers nothing.

import type { AlwaysScopeInfo } from "copydesk-protocol";
import { window } from "vscode";
import { pickForAsk, writeForAsk } from "./askInput";
import type { PermissionAsk } from "./asks";
import { plainLabel } from "./askText";
import type { AskViews } from "./askViews";

/** Between two patterns in the input. No pattern contains it, because it would be several commands. */
const BETWEEN = ";";
const EDIT = "Edit…";

/** Where "always" can count, in words. */
export const scopeNames: Record<AlwaysScopeInfo, string> = { session: "in this session", project: "in this project" };

/** Lets the user edit the patterns and choose where they count. */
export async function editAlways(views: AskViews, ask: PermissionAsk): Promise<void> {
  const { asks } = views;
  const { id, params } = ask;
  const before = views.written?.ask === id ? views.written.text : params.always.join(` ${BETWEEN} `);
  const written = await writeForAsk(asks, id, {
    title: `Always allow: ${views.titleOf(ask)}`,
    placeholder: params.problem ?? `Patterns of "${params.key}", with "${BETWEEN}" between them. "git push *" allows "git push" with any arguments.`,
    value: before,
  });
  if (typeof written !== "object") {
    return;
  }
  views.written = { ask: id, text: written.answer };
  const scope = await chooseScope(views, ask);
  const patterns = written.answer.split(BETWEEN).map((pattern) => pattern.trim());
  if (scope) {
    asks.permission(id)?.reply({ reply: "always", scope, patterns: patterns.filter((pattern) => pattern !== "") });
  }
}

async function chooseScope(views: AskViews, { id, params }: PermissionAsk): Promise<AlwaysScopeInfo | undefined> {
  if (!params.projectAlways) {
    return "session";
  }
  const scopes = [
    { label: "In this session", scope: "session" as const },
    { label: "In this project", detail: "In every session, while you trust the folder. Copydesk keeps it outside the repository.", scope: "project" as const },
  ];
  const chosen = await pickForAsk(views.asks, id, scopes, { title: "Always allow", placeholder: "Where does it count?" });
  return typeof chosen === "object" ? chosen.answer[0]?.scope : undefined;
}

/** Tells why a reply was not accepted; the ask is open again. */
export async function tellRefused(views: AskViews, { id, params }: PermissionAsk): Promise<void> {
  const choice = await window.showWarningMessage(`Copydesk: ${plainLabel(params.problem ?? "", 500)}`, EDIT);
  const ask = views.asks.permission(id);
  if (choice === EDIT && ask) {
    await editAlways(views, ask);
  }
}
