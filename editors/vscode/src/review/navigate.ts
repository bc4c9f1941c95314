// Goes to hunks: the next, the previous, a given one.
//
// Contract: only commands of the user call this; nothing else moves a cursor or opens an editor.

import type { TextEditor } from "vscode";
import { commands, Range, Selection, TextEditorRevealType, Uri, window } from "vscode";
import type { PlacedHunk } from "./places";
import type { Reviews } from "./reviews";
import type { ReviewState } from "./store";
import { sortedHunks } from "./store";
import { baseUri, proposalUri } from "./virtualTexts";

/** Puts the cursor on a line. */
export function show(editor: TextEditor, line: number): void {
  const at = Math.min(line, editor.document.lineCount - 1);
  editor.selection = new Selection(at, 0, at, 0);
  editor.revealRange(new Range(at, 0, at, 0), TextEditorRevealType.InCenterIfOutsideViewport);
}

/** The file name at the end of a path for the user. */
function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** Opens the document of a review at a hunk; a proposal opens as a diff whose right side is the proposal. */
export async function openReview(reviews: Reviews, review: ReviewState, hunkId?: string): Promise<void> {
  const hunk = review.hunks.get(hunkId ?? "") ?? sortedHunks(review)[0];
  const uri = Uri.parse(review.uri);
  if (review.file?.kind === "deleted") {
    await window.showTextDocument(baseUri(review.uri), { preview: true });
  } else if (review.when === "before") {
    const left = review.file?.kind === "created" ? baseUri(review.uri) : uri;
    const selection = hunk && new Range(reviews.lineOf(review, hunk), 0, reviews.lineOf(review, hunk), 0);
    await commands.executeCommand("vscode.diff", left, proposalUri(review.uri), `${fileName(review.path)} (proposed)`, { selection });
  } else {
    const editor = await window.showTextDocument(uri, { preview: true });
    if (hunk) {
      show(editor, reviews.placed(editor.document).find((one) => one.hunk === hunk)?.first ?? hunk.line);
    }
  }
}

function nextHere(placed: PlacedHunk[], line: number, step: 1 | -1): PlacedHunk | undefined {
  return step === 1 ? placed.find((one) => one.first > line) : placed.findLast((one) => one.first < line);
}

/** Goes to the next or previous hunk, in this document first, then in the other ones; false if there is none. */
export async function stepHunk(reviews: Reviews, step: 1 | -1): Promise<boolean> {
  const editor = window.activeTextEditor;
  const here = editor && nextHere(reviews.placed(editor.document), editor.selection.active.line, step);
  if (editor && here) {
    show(editor, here.first);
    return true;
  }
  const all = reviews.store.all().filter((review) => review.hunks.size > 0 || review.file);
  const at = all.findIndex((review) => review.uri === editor?.document.uri.toString());
  // From a document without hunks, "next" is the first review.
  const next = all.at(at < 0 ? (step === 1 ? 0 : -1) : (at + step + all.length) % all.length);
  if (!next) {
    return false;
  }
  const hunks = sortedHunks(next);
  await openReview(reviews, next, (step === 1 ? hunks[0] : hunks.at(-1))?.hunk);
  return true;
}
