// Handles `workspace/applyEdit`: makes the agent's edits in the user's documents.
//
// Contract: an edit is made in the version and text that it is for, or not at all: the check and the call are in one tick, and VS Code
// refuses a document that has moved since. All documents of a request are edited or none. Each is one undo step. No document is opened,
// shown or saved, and the focus stays. The text reaches the daemon before the response.

import { setImmediate } from "node:timers/promises";
import type { TextDocument } from "vscode";
import { window, workspace, WorkspaceEdit } from "vscode";
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult } from "vscode-languageclient/node";
import { log } from "../daemon/log";
import type { DocumentSync } from "../documents/sync";
import { shownPath } from "../documents/save";
import type { ClosedTabs } from "./closedTabs";
import { runFileOperation } from "./fileOperation";
import { editedText, inverseEdits } from "./minimal";
import type { OwnEdits } from "./ownEdits";
import { RefusalPacer } from "./typing";
import type { EditRequest } from "./request";
import { readRequest } from "./request";
import type { EditTarget, Refusal } from "./target";
import { rangeOf, resolveTarget } from "./target";

const LATE = "VS Code was busy for too long";

function isLate(request: EditRequest): boolean {
  return request.until !== undefined && Date.now() > request.until;
}

/**
 * Calls VS Code for one document. The version that it checks is that of this moment.
 *
 * In the active editor `applyEdit` first computes smaller edits in a worker: ours are as small as they can be, it takes 20 ms, every key
 * meanwhile makes it fail, and joined edits would be split again, which VS Code makes one wide change of. An editor's own `edit` does
 * none of that.
 */
function editDocument({ document, edits }: Pick<EditTarget, "document" | "edits">): Thenable<boolean> {
  const editor = window.visibleTextEditors.find((one) => one.document === document);
  if (editor) {
    return editor.edit((builder) => edits.forEach((one) => builder.replace(rangeOf(document, one), one.text)));
  }
  const edit = new WorkspaceEdit();
  edits.forEach((one) => edit.replace(document.uri, rangeOf(document, one), one.text));
  return workspace.applyEdit(edit);
}

export class EditApplier {
  readonly #pacer = new RefusalPacer();

  constructor(
    private readonly sync: DocumentSync,
    private readonly own: OwnEdits,
    private readonly closed: ClosedTabs,
  ) {}

  async handle(params: ApplyWorkspaceEditParams): Promise<ApplyWorkspaceEditResult> {
    const request = readRequest(params);
    let problem: string | undefined;
    if ("problem" in request) {
      problem = request.problem;
    } else if (isLate(request)) {
      problem = LATE;
    } else if (request.operation) {
      problem = await runFileOperation(this.sync, this.closed, request.operation);
    } else {
      problem = await this.#edit(request);
    }
    // A change is sent some microtasks after its event.
    await setImmediate();
    if (problem) {
      log().info(`edit refused: ${problem}`);
      return { applied: false, failureReason: problem };
    }
    return { applied: true };
  }

  async #edit(request: EditRequest): Promise<string | undefined> {
    const resolved = request.documents.map((edit) => resolveTarget(this.sync, edit));
    const refusals = resolved.filter((one): one is Refusal => "reason" in one);
    const targets = resolved.filter((one): one is EditTarget => "edits" in one);
    refusals.forEach((refusal) => refusal.isUnknown && refusal.document && this.sync.resend(refusal.document));
    const refusal = refusals[0];
    if (refusal) {
      if (refusal.isStale && refusal.document) {
        await this.#pacer.refused(refusal.document, request.until);
      }
      return refusal.reason;
    }
    // Still in the tick of the checks.
    const versions = targets.map((target) => target.document.version);
    const calls = targets.map((target) => (target.edits.length > 0 ? this.#call(target) : true));
    const answers = await Promise.all(calls);
    // An editor that cannot be edited says yes, too.
    const isMade = targets.map(({ document, edits }, index) => {
      return answers[index] && (edits.length === 0 || document.version !== versions[index]);
    });
    const refused = targets.filter((_, index) => !isMade[index]);
    if (refused.length === 0) {
      targets.forEach((target) => this.#pacer.succeeded(target.document));
      return undefined;
    }
    const made = targets.filter((target, index) => isMade[index] && target.edits.length > 0);
    return this.#refuse(refused, made, request.until);
  }

  #call(target: Pick<EditTarget, "document" | "edits">): Promise<boolean> {
    return this.own.during(target.document, editDocument(target));
  }

  /** Takes back what was made in other documents, and waits until the user pauses. */
  async #refuse(refused: EditTarget[], made: EditTarget[], until: number | undefined): Promise<string> {
    const left: TextDocument[] = [];
    for (const { document, text, edits } of made) {
      // If the user has typed since, the edit stays: the daemon sees that it is made.
      const isUntouched = document.getText() === editedText(text, edits);
      const isBack = isUntouched && (await this.#call({ document, edits: inverseEdits(text, edits) }));
      if (!isBack) {
        left.push(document);
      }
    }
    const first = refused[0];
    if (first) {
      await this.#pacer.refused(first.document, until);
    }
    const names = refused.map(({ document }) => shownPath(document.uri.toString())).join(", ");
    const rest = left.length > 0 ? `; the edit of ${left.map((one) => shownPath(one.uri.toString())).join(", ")} could not be taken back` : "";
    return `${names}: VS Code refused the edit, because the text has changed meanwhile${rest}`;
  }
}
