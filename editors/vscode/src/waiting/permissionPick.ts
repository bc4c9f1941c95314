// The quick pick of one permission ask.
//
// Contract: the user sees what the ask is about in full before choosing: in the pick if it is short, else in a document behind it. The
// patterns that "always" would allow are shown with the choice. Closing the pick answers nothing, and so does Enter in the pick as it
// opens: the first row only shows more.

import type { AlwaysScopeInfo, PermissionReply } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { QuickPickItemKind, window } from "vscode";
import { limits } from "../timeLimits";
import { editAlways, scopeNames } from "./alwaysEdit";
import { pickForAsk, writeForAsk } from "./askInput";
import type { PermissionAsk } from "./asks";
import { alwaysText, changedFiles, isLong, plainLabel, replyNames, subjectLines, whyLines } from "./askText";
import type { AskViews } from "./askViews";

/** How many lines of its subject a pick shows. */
const MAX_LINES = 10;

interface Choice extends QuickPickItem {
  run?: () => Promise<void> | void;
}

/** Replies to the newest request of an ask. */
function replyTo({ asks }: AskViews, id: string, reply: PermissionReply): void {
  const ask = asks.permission(id);
  ask?.reply(reply);
}

/** Allows an ask once, or always in a session or project. */
export function allow(views: AskViews, ask: PermissionAsk, scope: "once" | AlwaysScopeInfo): void {
  if (scope === "once") {
    return replyTo(views, ask.id, { reply: "once" });
  }
  replyTo(views, ask.id, { reply: "always", scope });
  const text = `Copydesk: allowed from now on ${scopeNames[scope]}: ${plainLabel(alwaysText(ask.params))}`;
  window.setStatusBarMessage(text, limits.statusMessage);
}

/** Rejects an ask; the turn stops. */
export function reject(views: AskViews, ask: PermissionAsk): void {
  replyTo(views, ask.id, { reply: "reject" });
}

/** Asks the user for a reason and rejects; without one nothing happens. */
export async function rejectWithReason(views: AskViews, ask: PermissionAsk): Promise<void> {
  const { asks } = views;
  const title = `${replyNames(ask.params).rejectWithReason.replace("…", "")}: ${views.titleOf(ask)}`;
  const written = await writeForAsk(asks, ask.id, { title, placeholder: "Why not? The model reads it and continues." });
  if (typeof written === "object") {
    replyTo(views, ask.id, { reply: "reject", reason: written.answer });
  }
}

function choicesOf(views: AskViews, ask: PermissionAsk): Choice[] {
  const { params } = ask;
  const names = replyNames(params);
  const choices: Choice[] = [{ label: `$(check) ${names.once}`, run: () => allow(views, ask, "once") }];
  if (params.always.length > 0) {
    const detail = `From now on: ${plainLabel(alwaysText(params), 500)}`;
    choices.push({ label: "$(check-all) Always allow in this session", detail, run: () => allow(views, ask, "session") });
    if (params.projectAlways) {
      choices.push({ label: "$(check-all) Always allow in this project", detail, run: () => allow(views, ask, "project") });
    }
    choices.push({ label: "$(edit) Edit what is always allowed…", run: () => editAlways(views, ask) });
  }
  choices.push({ label: `$(comment) ${names.rejectWithReason}`, detail: "The model is told and continues.", run: () => rejectWithReason(views, ask) });
  choices.push({ label: `$(close) ${names.reject}`, detail: "The turn stops.", run: () => reject(views, ask) });
  return choices;
}

/** The rows of a pick: what shows more, the choices, and what the ask is about. */
function rowsOf(views: AskViews, ask: PermissionAsk): Choice[] {
  const show = () => views.documents.show(ask, false);
  const lines = subjectLines(ask.params).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MAX_LINES).map((line) => ({ label: plainLabel(line), run: show }));
  const rest = lines.length - shown.length;
  const rows: Choice[] = [{ label: `$(go-to-file) Show in full${rest > 0 ? ` (${rest} more lines)` : ""}`, run: show }];
  const hunks = views.reviews.hunksOf(ask.id);
  if (hunks > 0) {
    const label = `$(diff) Review ${hunks === 1 ? "1 hunk" : `${hunks} hunks one by one`}…`;
    rows.unshift({ label, detail: "The ask stays open until they are decided.", run: () => views.reviews.show(ask.id) });
  }
  const answers: Choice = { label: "answer", kind: QuickPickItemKind.Separator };
  const subject: Choice = { label: plainLabel(ask.params.key), kind: QuickPickItemKind.Separator };
  const why = whyLines(ask.params).map((line) => ({ label: plainLabel(line, 300), run: show }));
  return [...rows, answers, ...choicesOf(views, ask), subject, ...shown, ...why];
}

/** Shows what does not fit into the pick: the edit of one file in its review, else all of it in a document. */
async function showSubject(views: AskViews, ask: PermissionAsk): Promise<void> {
  if (views.reviews.hunksOf(ask.id) > 0 && changedFiles(ask.params).length === 1) {
    await views.reviews.show(ask.id);
  } else if (isLong(ask.params)) {
    await views.documents.show(ask, true);
  }
}

/** Shows an ask until the user chooses, leaves it, or it is settled. */
export async function pickPermission(views: AskViews, ask: PermissionAsk): Promise<void> {
  await showSubject(views, ask);
  const options = { title: `Copydesk asks: ${views.titleOf(ask)}`, placeholder: "Your answer. Escape leaves it waiting." };
  const choice = await pickForAsk(views.asks, ask.id, rowsOf(views, ask), options);
  if (typeof choice === "object") {
    await choice.answer[0]?.run?.();
  }
}
