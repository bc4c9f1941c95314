// The hunks that an ask waits for: an edit that is reviewed before it is made is decided there, hunk by hunk.

import { window } from "vscode";
import { openReview } from "../review/navigate";
import type { Reviews } from "../review/reviews";
import type { ReviewState } from "../review/store";
import { reviewSize } from "../review/store";

export class AskReviews {
  constructor(private readonly reviews: Reviews) {}

  /** How many hunks an ask waits for, with created, deleted and renamed files. */
  hunksOf(ask: string): number {
    return this.#of(ask).reduce((sum, review) => sum + reviewSize(review), 0);
  }

  /** Whether the user sees a hunk of an ask. */
  isVisible(ask: string): boolean {
    return window.visibleTextEditors.some(({ document, visibleRanges }) => {
      const placed = this.reviews.placed(document).filter(({ review }) => review.ask === ask);
      return placed.some(({ first, count }) => visibleRanges.some(({ start, end }) => first <= end.line && first + count >= start.line));
    });
  }

  /** Opens the review of the first file. */
  async show(ask: string): Promise<void> {
    const review = this.#of(ask)[0];
    if (review) {
      await openReview(this.reviews, review);
    }
  }

  #of(ask: string): ReviewState[] {
    return this.reviews.store.all().filter((review) => review.ask === ask);
  }
}
