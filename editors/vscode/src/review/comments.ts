// Comments on lines: VS Code's own input at the place, sent to the agent for its next step.
//
// Contract: a comment decides nothing. The input opens where the user asks for it; after it is sent, its thread is gone, and the status
// bar says how many comments wait. (A thread with a comment in it would open the Comments panel.)

import type { CommentReply, TextDocument } from "vscode";
import { commands, comments, Disposable, Range, window } from "vscode";
import type { Connection } from "../daemon/connection";
import { DaemonError } from "../daemon/requests";
import type { Sessions } from "../sessions/sessions";
import { limits } from "../timeLimits";
import type { PlacedHunk } from "./places";
import type { Reviews } from "./reviews";

export class ReviewComments implements Disposable {
  readonly #listener: Disposable;
  readonly #controller = comments.createCommentController("copydesk", "Copydesk");

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly reviews: Reviews,
  ) {
    this.#controller.options = { prompt: "Comment for the agent", placeHolder: "The agent reads it at its next step (Ctrl+Enter sends it)" };
    this.#listener = reviews.onDidChange(() => this.#offerRanges());
  }

  /** Opens the input under the lines of a hunk in the active editor. The selection stays: the next prompt would take it along. */
  async open(document: TextDocument, { first, count }: PlacedHunk): Promise<void> {
    const last = Math.min(first + Math.max(count, 1) - 1, document.lineCount - 1);
    // VS Code counts from 1.
    const range = { startLineNumber: Math.min(first, last) + 1, endLineNumber: last + 1, endColumn: document.lineAt(last).text.length + 1 };
    await commands.executeCommand("workbench.action.addComment", { range });
  }

  /** Sends what the user wrote in the input. */
  async submit({ thread, text }: CommentReply): Promise<void> {
    const { uri, range } = thread;
    if (text.trim() !== "" && range) {
      await this.send(uri.toString(), range.start.line, range.end.line - range.start.line + 1, text);
    }
    thread.dispose();
    // The focus was in the input.
    await commands.executeCommand("workbench.action.focusActiveEditorGroup");
  }

  /** Sends a comment on lines of a document. */
  async send(uri: string, line: number, lines: number, text: string): Promise<void> {
    const session = this.reviews.store.all({ uri })[0]?.session ?? this.sessions.current?.id;
    if (session === undefined) {
      throw new DaemonError("No session is open to comment in: ask the agent something first.");
    }
    const { comments: waiting } = await this.connection.request("copydesk/review/comment", { session, uri, line, lines, text });
    const many = waiting === 1 ? "1 comment waits" : `${waiting} comments wait`;
    window.setStatusBarMessage(`$(comment) ${many} for the agent's next step`, limits.sentNote);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#controller.dispose();
  }

  /** VS Code marks every line that takes comments in the gutter, so only hunks do. It asks again for each new provider. */
  #offerRanges(): void {
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: (document: TextDocument) => {
        return this.reviews.placed(document).map(({ first, count }) => {
          const start = Math.min(first, document.lineCount - 1);
          return new Range(start, 0, Math.max(start, Math.min(first + count, document.lineCount) - 1), 0);
        });
      },
    };
  }
}
