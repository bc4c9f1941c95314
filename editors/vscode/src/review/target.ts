// What a review command is about: the hunk of a lens or a tree node, the selected lines, the hunk at the cursor, or the file.
//
// Contract: an argument names hunks and reviews by id only; whatever else it has is ignored. At the cursor the hunks are first brought
// up to date with what the user has just typed.

import type { ReviewDecision, ReviewVerdict } from "copydesk-protocol";
import type { TextDocument, TextEditor } from "vscode";
import { Uri, window } from "vscode";
import { documentOf, uriKey } from "../documents/openDocuments";
import type { SessionDecision } from "./decide";
import type { PlacedHunk } from "./places";
import { hunkAt, hunksWithin, selectedLines } from "./places";
import type { Reviews } from "./reviews";
import type { ReviewState } from "./store";
import { PROPOSAL, realUri, type VirtualTexts } from "./virtualTexts";

function member(argument: unknown, name: "hunk" | "review"): string | undefined {
  const value = typeof argument === "object" && argument !== null && name in argument ? (argument as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The id of a hunk in a command's argument. */
export function hunkArgument(argument: unknown): string | undefined {
  return member(argument, "hunk");
}

/** The id of a review in a command's argument. */
export function reviewArgument(argument: unknown): string | undefined {
  return member(argument, "review");
}

/** The document that an editor is about: the real one beside a virtual one. */
export function realDocument(document: TextDocument): TextDocument | undefined {
  const real = realUri(document.uri);
  return real === undefined ? document : documentOf(real);
}

/** First and last selected line; a selection that ends at the start of a line does not mean that line. */
function selectionLines({ selection }: TextEditor): { first: number; last: number } {
  const isAtLineStart = selection.end.character === 0 && selection.end.line > selection.start.line;
  return { first: selection.start.line, last: selection.end.line - (isAtLineStart ? 1 : 0) };
}

export class ReviewTargets {
  constructor(
    private readonly reviews: Reviews,
    private readonly texts: VirtualTexts,
  ) {}

  /** The hunk at the cursor of an editor. */
  async atCursor(editor: TextEditor): Promise<PlacedHunk | undefined> {
    const document = realDocument(editor.document);
    if (!document) {
      return undefined;
    }
    await this.reviews.settle(document);
    const placed = this.reviews.placed(document);
    const { line } = editor.selection.active;
    if (editor.document.uri.scheme === PROPOSAL) {
      const { places } = this.texts.other(document, "before");
      const at = places.find(({ first, count }) => first <= line && line < first + Math.max(count, 1));
      return placed.find((one) => one.hunk === at?.hunk);
    }
    return hunkAt(placed, line, document.lineCount);
  }

  /** The decisions that a command means; none if there is nothing to decide. */
  async decisions(argument: unknown, verdict: ReviewVerdict, comment?: string): Promise<SessionDecision[]> {
    const hunk = hunkArgument(argument);
    if (hunk !== undefined) {
      const found = this.reviews.find(hunk);
      return found ? [{ session: found.review.session, decision: { hunk, expected: found.expected, verdict, comment } }] : [];
    }
    const editor = window.activeTextEditor;
    const document = editor && realDocument(editor.document);
    if (!editor || !document) {
      return [];
    }
    await this.reviews.settle(document);
    if (!editor.selection.isEmpty && editor.document === document) {
      return this.#selected(editor, verdict, comment);
    }
    const one = await this.atCursor(editor);
    return one ? [decide(one, { verdict, comment })] : this.#file(document, verdict, comment);
  }

  /** The reviews of a file that a command means: of a tree node, of a URI, or of the active editor. */
  ofFile(argument: unknown): ReviewState[] {
    const review = this.reviews.store.review(reviewArgument(argument) ?? "");
    if (review) {
      return [review];
    }
    const uri = argument instanceof Uri ? argument : window.activeTextEditor?.document.uri;
    return uri ? this.reviews.store.all({ uri: realUri(uri) ?? uriKey(uri) }) : [];
  }

  #selected(editor: TextEditor, verdict: ReviewVerdict, comment?: string): SessionDecision[] {
    const { first, last } = selectionLines(editor);
    return hunksWithin(this.reviews.placed(editor.document), first, last).map((one) => {
      return decide(one, { verdict, comment, lines: selectedLines(one, first, last) });
    });
  }

  /** A created or renamed file, which is a hunk of its own. */
  #file(document: TextDocument, verdict: ReviewVerdict, comment?: string): SessionDecision[] {
    const review = this.reviews.store.all({ uri: document.uri.toString() }).find((one) => one.file);
    const file = review?.file;
    return review && file ? [{ session: review.session, decision: { hunk: file.hunk, expected: file.expected, verdict, comment } }] : [];
  }
}

function decide({ review, hunk }: PlacedHunk, rest: Omit<ReviewDecision, "hunk" | "expected">): SessionDecision {
  return { session: review.session, decision: { hunk: hunk.hunk, expected: hunk.expected, ...rest } };
}
