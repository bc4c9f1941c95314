// What a page is told of when it has drawn the last batch.
//
// Contract: applied in order, the changes lead to the same state as those that were added. Texts that grow become one change, and of what is
// sent as a whole only the last is kept. Bounded.

import type { ChatChange } from "../wire/messages";
import { MAX_TEXT } from "../wire/rows";

/** More changes than that are slower than a snapshot. */
const MAX_CHANGES = 200;

/** What changes the rows; the order of those matters. */
type RowChange = Extract<ChatChange, { kind: "splice" | "row" | "append" }>;
type WholeChange = Exclude<ChatChange, RowChange>;

export class PendingChanges {
  #rows: RowChange[] = [];
  readonly #whole = new Map<WholeChange["kind"], WholeChange>();

  /** False if it is too much. */
  add(change: ChatChange): boolean {
    if (change.kind === "head" || change.kind === "asks" || change.kind === "draft") {
      this.#whole.set(change.kind, change);
      return true;
    }
    const last = this.#rows.at(-1);
    if (change.kind === "append" && last?.kind === "append" && change.id === last.id) {
      const text = last.text + change.text;
      this.#rows.splice(-1, 1, { ...last, text });
      return text.length <= MAX_TEXT;
    } else if (change.kind === "row" && last?.kind === "row" && change.row.id === last.row.id) {
      this.#rows.splice(-1, 1, change);
      return true;
    }
    this.#rows.push(change);
    return this.#rows.length <= MAX_CHANGES;
  }

  take(): ChatChange[] {
    const changes = [...this.#rows, ...this.#whole.values()];
    this.#rows = [];
    this.#whole.clear();
    return changes;
  }
}
