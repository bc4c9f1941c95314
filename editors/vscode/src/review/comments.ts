// Comments on lines: VS Code's own input at the place, sent to the agent for its next step.
//
// Contract: a comment decides nothing. The input opens where the user asks for it; after it is sent, its thread is gone, and the status
// bar says how many comments wait. (A thread with a comment in it would open the Comments panel.)

import type { CommentReply, TextDocument, TextEditor } from "vscode";
import { commands, comments, Disposable, Range, Selection, window } from "vscode";
import type { Connection } from "../daemon/connection";
import { DaemonError } from "../daemon/requests";
import type { DocumentSync } from "../documents/sync";
import type { Sessions } from "../sessions/sessions";
import type { Reviews } from "./reviews";

/** How long the status bar shows that a comment was sent. */
const SHOWN_MS = 4_000;

export class ReviewComments implements Disposable {
  readonly #controller = comments.createCommentController("copydesk", "Copydesk");

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly reviews: Reviews,
    sync: DocumentSync,
  ) {
    this.#controller.options = { prompt: "Comment for the agent", placeHolder: "The agent reads it at its next step (Ctrl+Enter sends it)" };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => {
        const isUsed = sync.has(document) && this.#sessionOf(document) !== undefined;
        return isUsed ? [new Range(0, 0, document.lineCount - 1, 0)] : [];
      },
    };
  }

  /** Opens the input under some lines of an editor, selected as the user sees. */
  async open(editor: TextEditor, first: number, count: number): Promise<void> {
    const last = Math.min(first + Math.max(count, 1) - 1, editor.document.lineCount - 1);
    editor.selection = new Selection(Math.min(first, last), 0, last, editor.document.lineAt(last).text.length);
    await commands.executeCommand("workbench.action.addComment");
  }

  /** Sends what the user wrote in the input. */
  async submit({ thread, text }: CommentReply): Promise<void> {
    const { uri, range } = thread;
    if (text.trim() !== "" && range) {
      await this.send(uri.toString(), range.start.line, range.end.line - range.start.line + 1, text);
    }
    thread.dispose();
  }

  /** Sends a comment on lines of a document. */
  async send(uri: string, line: number, lines: number, text: string): Promise<void> {
    const session = this.reviews.store.all({ uri })[0]?.session ?? this.sessions.current?.id;
    if (session === undefined) {
      throw new DaemonError("No session is open to comment in: ask the agent something first.");
    }
    const { comments: waiting } = await this.connection.request("copydesk/review/comment", { session, uri, line, lines, text });
    const many = waiting === 1 ? "1 comment waits" : `${waiting} comments wait`;
    window.setStatusBarMessage(`$(comment) ${many} for the agent's next step`, SHOWN_MS);
  }

  dispose(): void {
    this.#controller.dispose();
  }

  #sessionOf(document: TextDocument): string | undefined {
    return this.reviews.store.all({ uri: document.uri.toString() })[0]?.session ?? this.sessions.current?.id;
  }
}
