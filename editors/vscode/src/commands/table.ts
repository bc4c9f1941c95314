// Every command of the extension, by its name in package.json.

import { CodeActionKind, commands, languages, type Disposable } from "vscode";
import type { Desk } from "../desk";
import { addFile, addSelection } from "./addContext";
import { ask } from "./ask";
import { changes } from "./changes";
import { chooseAgent } from "./chooseAgent";
import { chooseModel } from "./chooseModel";
import { choosePreset } from "./choosePreset";
import { commentOnHunk } from "./commentOnHunk";
import { decideAll } from "./decideAll";
import { decideFile } from "./decideFile";
import { decideHunk } from "./decideHunk";
import { doctor } from "./doctor";
import { cancelEdit, dismissInstruction, edit, retryEdit, sendInstruction } from "./edit";
import { firstSteps, practice } from "./firstSteps";
import { explain } from "./explain";
import { explainPermission } from "./explainPermission";
import { exportSession } from "./exportSession";
import { fix } from "./fix";
import { FixActions } from "./fixActions";
import { goToHunk } from "./goToHunk";
import { openAllHunks } from "./openAllHunks";
import { openReviewedFile } from "./openReviewedFile";
import { permissions } from "./permissions";
import { reporting } from "./report";
import { restart } from "./restart";
import { reviewTiming } from "./reviewTiming";
import { sessions } from "./sessions";
import { setUpModel } from "./setUpModel";
import { showConversation } from "./showConversation";
import { showLog } from "./showLog";
import { showRemoved } from "./showRemoved";
import { status } from "./status";
import { steer } from "./steer";
import { stop } from "./stop";
import { submitComment } from "./submitComment";
import { redo, undo } from "./undo";
import { allowOnce } from "./waiting/allow";
import { allowAlways, editAllowed } from "./waiting/always";
import { answer } from "./waiting/answer";
import { rejectAsk, rejectAskWithReason } from "./waiting/reject";
import { showAsk } from "./waiting/show";

type Command = (desk: Desk, ...args: unknown[]) => unknown;

const table: Record<string, Command> = {
  "copydesk.ask": ask,
  "copydesk.steer": steer,
  "copydesk.edit": edit,
  "copydesk.edit.retry": retryEdit,
  "copydesk.edit.cancel": cancelEdit,
  "copydesk.edit.send": sendInstruction,
  "copydesk.edit.dismiss": dismissInstruction,
  "copydesk.fix": fix,
  "copydesk.explain": explain,
  "copydesk.stop": stop,
  "copydesk.undo": undo,
  "copydesk.redo": redo,
  "copydesk.changes": changes,
  "copydesk.sessions": sessions,
  "copydesk.export": exportSession,
  "copydesk.model": chooseModel,
  "copydesk.provider": setUpModel,
  "copydesk.agent": chooseAgent,
  "copydesk.preset": choosePreset,
  "copydesk.permissions": permissions,
  "copydesk.permissions.explain": explainPermission,
  "copydesk.addFile": addFile,
  "copydesk.addSelection": addSelection,
  "copydesk.status": status,
  "copydesk.doctor": doctor,
  "copydesk.firstSteps": firstSteps,
  "copydesk.practice": practice,
  "copydesk.showConversation": showConversation,
  "copydesk.showLog": showLog,
  "copydesk.restart": restart,
  "copydesk.waiting.answer": answer,
  "copydesk.waiting.allow": allowOnce,
  "copydesk.waiting.always": allowAlways("session"),
  "copydesk.waiting.alwaysInProject": allowAlways("project"),
  "copydesk.waiting.editAlways": editAllowed,
  "copydesk.waiting.reject": rejectAsk,
  "copydesk.waiting.rejectWithReason": rejectAskWithReason,
  "copydesk.waiting.show": showAsk,
  "copydesk.review.accept": decideHunk("accept"),
  "copydesk.review.reject": decideHunk("reject"),
  "copydesk.review.acceptFile": decideFile("accept"),
  "copydesk.review.rejectFile": decideFile("reject"),
  "copydesk.review.acceptAll": decideAll("accept"),
  "copydesk.review.rejectAll": decideAll("reject"),
  "copydesk.review.next": goToHunk(1),
  "copydesk.review.previous": goToHunk(-1),
  "copydesk.review.comment": commentOnHunk,
  "copydesk.review.submitComment": submitComment,
  "copydesk.review.timing": reviewTiming,
  "copydesk.review.showRemoved": showRemoved,
  "copydesk.review.openFile": openReviewedFile,
  "copydesk.review.openAll": openAllHunks,
};

/** Registers the commands, and the quick fix that calls one of them. */
export function registerCommands(desk: Desk): Disposable[] {
  const options = { providedCodeActionKinds: [CodeActionKind.QuickFix] };
  const fixes = languages.registerCodeActionsProvider([{ scheme: "file" }, { scheme: "untitled" }], new FixActions(), options);
  const registered = Object.entries(table).map(([name, run]) => {
    return commands.registerCommand(name, (...args: unknown[]) => reporting(desk, () => run(desk, ...args)));
  });
  return [fixes, ...registered];
}
