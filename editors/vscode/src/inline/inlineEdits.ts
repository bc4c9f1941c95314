// Inline edits: the model rewrites lines by an instruction, and what it writes grows as a proposal in their place.
//
// Contract: the document does not change before the user accepts. A notification with "Cancel" is there as long as the model writes, and
// a mark at the lines until there is something of the proposal to draw (the review draws that); a peek shows the text as it grows. A
// failure is told. The news that an edit is over may come before the answer to its start.

import type { ReviewChange } from "copydesk-protocol";
import type { Range, TextDocument } from "vscode";
import { Disposable, ProgressLocation, window, workspace } from "vscode";
import type { Connection } from "../daemon/connection";
import { problemOf } from "../daemon/requests";
import { shownPath } from "../documents/save";
import { hunksWithin } from "../review/places";
import type { Reviews } from "../review/reviews";
import { wireRange } from "../sessions/context";
import { oneLine } from "../sessions/partText";
import type { Sessions } from "../sessions/sessions";
import { linesOf, moveLines, type EditLines } from "./place";
import { ProposalPeek } from "./proposalPeek";
import { WritingMarks } from "./writingMarks";

/** An open inline edit. */
export interface InlineEditId {
  session: string;
  review: string;
}

/** An edit that the model writes for this window. */
interface WritingEdit extends InlineEditId {
  uri: string;
  lines: EditLines;
  /** Something of it is drawn. */
  isShown: boolean;
  finish: () => void;
}

/** A start whose answer is not there yet, and what happened to reviews meanwhile. */
interface PendingStart {
  uri: string;
  lines: EditLines;
  changes: Map<string, ReviewChange>;
  done: Promise<unknown>;
}

function overlap(a: EditLines, b: EditLines): boolean {
  return a.first <= b.last && a.last >= b.first;
}

/** `a.ts:3-5` */
export function placeName(document: TextDocument, { first, last }: EditLines): string {
  return `${oneLine(shownPath(document.uri.toString()))}:${first === last ? first + 1 : `${first + 1}-${last + 1}`}`;
}

export class InlineEdits implements Disposable {
  readonly #writing = new Map<string, WritingEdit>();
  readonly #starts = new Set<PendingStart>();
  readonly #marks = new WritingMarks();
  readonly #peek = new ProposalPeek();
  readonly #disposables: Disposable[];

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly reviews: Reviews,
  ) {
    this.#disposables = [
      sessions.onDidChange(({ view, change }) => {
        if (change.kind === "review") {
          this.#handle(change.change);
        } else if (change.kind === "gone" || change.kind === "loaded") {
          // After a load the daemon sends no news of what ended meanwhile.
          this.#finishAll((edit) => edit.session === view.id);
        }
      }),
      connection.onDidChangeState((state) => state !== "ready" && this.#finishAll(() => true)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => this.#move(document, contentChanges)),
      window.onDidChangeVisibleTextEditors(() => this.#draw()),
      reviews.onDidChange(() => this.#closePeek()),
      this.#marks,
    ];
  }

  /** The open inline edit of some lines. Waits for one that is being started there. */
  async at(document: TextDocument, lines: EditLines): Promise<InlineEditId | undefined> {
    const uri = document.uri.toString();
    const isHere = (one: { uri: string; lines: EditLines }) => one.uri === uri && overlap(one.lines, lines);
    await [...this.#starts].find(isHere)?.done;
    return [...this.#writing.values()].find(isHere) ?? this.#proposedAt(document, lines);
  }

  /** Lets the model rewrite a range. Resolves when the daemon has accepted it; the rest is shown. */
  async start(document: TextDocument, range: Range, instruction: string): Promise<void> {
    const view = await this.sessions.ensure();
    const uri = document.uri.toString();
    const lines = linesOf(range);
    const request = this.connection.request("copydesk/inline/start", { session: view.id, uri, range: wireRange(range), instruction });
    const start: PendingStart = { uri, lines, changes: new Map(), done: request.catch(() => undefined) };
    this.#starts.add(start);
    let review: string;
    try {
      ({ review } = await request);
      this.#follow(document, { session: view.id, review }, lines, start.changes.get(review));
    } finally {
      this.#starts.delete(start);
    }
    await this.#openPeek(document, lines, review);
  }

  /** Proposes a text that is there already, such as code from the chat, in place of a range. The review shows it. */
  async propose(document: TextDocument, range: Range, text: string): Promise<void> {
    const view = await this.sessions.ensure();
    const uri = document.uri.toString();
    await this.connection.request("copydesk/inline/start", { session: view.id, uri, range: wireRange(range), text });
  }

  /** Lets the model revise its text; without an instruction it tries again. */
  async refine(document: TextDocument, { session, review }: InlineEditId, lines: EditLines, instruction?: string): Promise<void> {
    const older = this.#writing.get(review);
    // The change that the new text makes comes before the answer.
    this.#follow(document, { session, review }, older?.lines ?? lines);
    try {
      await this.connection.request("copydesk/inline/refine", { session, review, instruction });
    } catch (error) {
      this.#writing.get(review)?.finish();
      throw error;
    }
    await this.#openPeek(document, lines, review);
  }

  /** Drops an edit; the document is unchanged. */
  async cancel({ session, review }: InlineEditId): Promise<void> {
    await this.connection.request("copydesk/inline/cancel", { session, review });
    this.#writing.get(review)?.finish();
  }

  dispose(): void {
    this.#finishAll(() => true);
    this.#disposables.forEach((one) => one.dispose());
  }

  /** An inline edit that the review shows, also one of another client or of an earlier window. */
  #proposedAt(document: TextDocument, { first, last }: EditLines): InlineEditId | undefined {
    const found = hunksWithin(this.reviews.placed(document), first, last).find(({ review }) => review.when === "before" && review.ask === undefined);
    return found && { session: found.review.session, review: found.review.id };
  }

  /** Shows that the model writes, until it does not. */
  #follow(document: TextDocument, id: InlineEditId, lines: EditLines, early?: ReviewChange): void {
    this.#writing.get(id.review)?.finish();
    const options = { location: ProgressLocation.Notification, title: `Copydesk: rewriting ${placeName(document, lines)}`, cancellable: true };
    void window.withProgress(options, (_, token) => {
      return new Promise<void>((resolve) => {
        const finish = () => {
          if (this.#writing.get(id.review) === edit) {
            this.#writing.delete(id.review);
          }
          resolve();
          this.#draw();
          this.#closePeek();
        };
        const edit: WritingEdit = { ...id, uri: document.uri.toString(), lines, isShown: false, finish };
        this.#writing.set(id.review, edit);
        token.onCancellationRequested(() => this.cancel(id).catch((error) => window.showErrorMessage(problemOf(error))));
        this.#draw();
        if (early) {
          this.#apply(edit, early);
        }
      });
    });
  }

  #handle(change: ReviewChange): void {
    const { review } = change.review;
    this.#starts.forEach((start) => start.changes.set(review, change));
    const edit = this.#writing.get(review);
    if (edit) {
      this.#apply(edit, change);
    }
    // Also of an edit that was accepted, but could not be made.
    if (change.failed !== undefined) {
      void window.showErrorMessage(`Copydesk: ${oneLine(change.failed, 500)}`);
    }
  }

  #apply(edit: WritingEdit, { review, failed }: ReviewChange): void {
    if (review.writing && failed === undefined) {
      edit.isShown = review.total > 0;
      this.#draw();
    } else {
      edit.finish();
    }
  }

  #finishAll(isOver: (edit: WritingEdit) => boolean): void {
    [...this.#writing.values()].filter(isOver).forEach((edit) => edit.finish());
  }

  #move(document: TextDocument, changes: Parameters<typeof moveLines>[1]): void {
    const uri = document.uri.toString();
    for (const one of [...this.#writing.values(), ...this.#starts]) {
      if (one.uri === uri) {
        moveLines(one.lines, changes);
      }
    }
  }

  #isOpen(review: string): boolean {
    return this.#writing.has(review) || this.reviews.store.review(review) !== undefined;
  }

  async #openPeek(document: TextDocument, lines: EditLines, review: string): Promise<void> {
    if (this.#isOpen(review)) {
      await this.#peek.open(document, lines, review);
      // It may be over by now.
      this.#closePeek();
    }
  }

  #closePeek(): void {
    const { review } = this.#peek;
    if (review !== undefined && !this.#isOpen(review)) {
      void this.#peek.close();
    }
  }

  #draw(): void {
    this.#marks.draw([...this.#writing.values()].filter((edit) => !edit.isShown));
  }
}
