// The undecided hunks as the daemon sent them: by session, by review, by hunk.
//
// Contract: only holds state; draws nothing and sends nothing. A hunk that is sent again unchanged keeps its object, so that drawing
// code sees at once that it is the same.

import { isDeepStrictEqual } from "node:util";
import type { FileHunkInfo, HunkInfo, ReviewChange, ReviewInfo, ReviewTimingInfo } from "copydesk-protocol";
import { uriKey } from "../documents/openDocuments";

/** The undecided edits of one document. */
export interface ReviewState {
  session: string;
  id: string;
  /** As `uriKey` spells it. */
  uri: string;
  path: string;
  when: ReviewTimingInfo;
  /** The ask of the call that waits for the review. */
  ask?: string;
  /** The model still writes this inline edit. */
  writing: boolean;
  expected: string;
  file?: FileHunkInfo;
  hunks: Map<string, HunkInfo>;
  total: number;
  additions: number;
  deletions: number;
}

function makeReview(session: string, info: ReviewInfo, hunks: Map<string, HunkInfo>): ReviewState {
  const { review, uri, path, when, ask, writing, expected, file, total, additions, deletions } = info;
  return { session, id: review, uri: uriKey(uri), path, when, ask, writing: writing ?? false, expected, file, hunks, total, additions, deletions };
}

/** Adds received hunks; unchanged ones keep their objects. */
function storeHunks(before: ReadonlyMap<string, HunkInfo> | undefined, received: readonly HunkInfo[], into: Map<string, HunkInfo>): void {
  for (const hunk of received) {
    const older = before?.get(hunk.hunk);
    into.set(hunk.hunk, older && isDeepStrictEqual(older, hunk) ? older : hunk);
  }
}

/** How many decisions a review needs at most. */
export function reviewSize(review: ReviewState): number {
  return review.total + (review.file ? 1 : 0);
}

/** The known hunks of a review, in text order. */
export function sortedHunks(review: ReviewState): HunkInfo[] {
  return [...review.hunks.values()].sort((a, b) => a.line - b.line || (a.hunk < b.hunk ? -1 : 1));
}

export class ReviewStore {
  readonly #known = new Map<string, Map<string, ReviewState>>();

  /** Replaces the state of a session, or of one document in it, by a list of the daemon. */
  replace(session: string, reviews: readonly ReviewInfo[], uri?: string): void {
    const before = this.#known.get(session) ?? new Map<string, ReviewState>();
    const others = uri === undefined ? [] : [...before].filter(([, review]) => review.uri !== uri);
    const now = new Map(others);
    for (const info of reviews) {
      const known = now.get(info.review);
      // A long review comes in several pages.
      const hunks = known?.hunks ?? new Map<string, HunkInfo>();
      storeHunks(before.get(info.review)?.hunks, info.hunks, hunks);
      now.set(info.review, makeReview(session, info, hunks));
    }
    this.#known.set(session, now);
  }

  /** Applies a change of one review. */
  change(session: string, { review: info, gone }: ReviewChange): void {
    const reviews = this.#known.get(session) ?? new Map<string, ReviewState>();
    this.#known.set(session, reviews);
    if (info.hunks.length === 0 && !info.file && info.total === 0) {
      reviews.delete(info.review);
      return;
    }
    const before = reviews.get(info.review);
    const hunks = new Map(before?.hunks);
    gone?.forEach((id) => hunks.delete(id));
    storeHunks(before?.hunks, info.hunks, hunks);
    reviews.set(info.review, makeReview(session, info, hunks));
  }

  drop(session: string): void {
    this.#known.delete(session);
  }

  /** All reviews by path; or those of one document, or of one session. */
  all(filter: { uri?: string; session?: string } = {}): ReviewState[] {
    const { uri, session } = filter;
    const reviews = [...this.#known.values()].flatMap((one) => [...one.values()]);
    const found = reviews.filter((one) => (uri === undefined || one.uri === uri) && (session === undefined || one.session === session));
    return found.sort((a, b) => compare(a.path, b.path) || compare(a.session, b.session) || compare(a.id, b.id));
  }

  /** Whether a document has a review. Cheap: it is asked at every key. */
  hasDocument(uri: string): boolean {
    for (const reviews of this.#known.values()) {
      for (const review of reviews.values()) {
        if (review.uri === uri) {
          return true;
        }
      }
    }
    return false;
  }

  review(id: string): ReviewState | undefined {
    for (const reviews of this.#known.values()) {
      const found = reviews.get(id);
      if (found) {
        return found;
      }
    }
    return undefined;
  }

  /** How many hunks there are, with created, deleted and renamed files. */
  count(session?: string): number {
    return this.all({ session }).reduce((sum, review) => sum + reviewSize(review), 0);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
