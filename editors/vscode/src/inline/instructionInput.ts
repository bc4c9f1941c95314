// The input of an inline edit, in the editor under its lines: a comment that is being written, which is the only input that VS Code opens
// there for extensions.
//
// Contract: one input at a time; another one dismisses it. Its lines move with the text. When it is sent or dismissed, it is gone, and
// the focus is in the editor. If the user only folds it, it waits at its mark in the gutter.

import type { Comment, TextDocument } from "vscode";
import { CommentMode, commands, comments, CommentThreadCollapsibleState, Disposable, Range, workspace } from "vscode";
import type { EditLines } from "./place";
import { moveLines } from "./place";

interface OpenInput {
  comment: Comment;
  finish: (instruction: string | undefined) => void;
}

export class InstructionInput implements Disposable {
  readonly #controller = comments.createCommentController("copydesk.edit", "Copydesk");
  #open: OpenInput | undefined;

  /** Whether VS Code shows an input in this document: it has none in notebooks, and none if the user has hidden all comments. */
  canShow(document: TextDocument): boolean {
    return document.uri.scheme !== "vscode-notebook-cell" && workspace.getConfiguration("comments").get("visible", true);
  }

  /** Asks for an instruction. `lines` are moved with the text; undefined if the user dismisses the input. */
  async ask(document: TextDocument, lines: EditLines, title: string): Promise<string | undefined> {
    this.#open?.finish(undefined);
    const comment: Comment = { body: "", mode: CommentMode.Editing, author: { name: "Instruction" } };
    const end = document.lineAt(lines.last).text.length;
    const thread = this.#controller.createCommentThread(document.uri, new Range(lines.first, 0, lines.last, end), [comment]);
    thread.label = title;
    thread.canReply = false;
    thread.collapsibleState = CommentThreadCollapsibleState.Expanded;
    const listener = workspace.onDidChangeTextDocument((event) => event.document === document && moveLines(lines, event.contentChanges));
    const instruction = await new Promise<string | undefined>((resolve) => (this.#open = { comment, finish: resolve }));
    if (this.#open?.comment === comment) {
      this.#open = undefined;
    }
    listener.dispose();
    thread.dispose();
    await commands.executeCommand("workbench.action.focusActiveEditorGroup");
    return instruction;
  }

  /** Sends what the user wrote. VS Code hands over the comment. */
  send(comment: unknown): void {
    const open = this.#open;
    if (open && open.comment === comment) {
      const { body } = open.comment;
      open.finish(typeof body === "string" ? body : body.value);
    }
  }

  dismiss(): void {
    this.#open?.finish(undefined);
  }

  dispose(): void {
    this.dismiss();
    this.#controller.dispose();
  }
}
