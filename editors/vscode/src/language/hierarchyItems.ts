// The items of hierarchies that the daemon may ask about again: VS Code wants its own objects back, unchanged.
//
// Contract: bounded. The oldest items are forgotten first; a request about one of those fails.

import type { CallHierarchyItem, TypeHierarchyItem } from "vscode";

type Item = CallHierarchyItem | TypeHierarchyItem;

const MAX_ITEMS = 10_000;

export class HierarchyItems {
  readonly #items = new Map<number, Item>();
  #next = 1;

  add(item: Item): number {
    const id = this.#next++;
    this.#items.set(id, item);
    this.#items.delete(id - MAX_ITEMS);
    return id;
  }

  /** The item of an id that a request brings back. */
  get(id: unknown): Item {
    const item = typeof id === "number" ? this.#items.get(id) : undefined;
    if (!item) {
      throw new Error("VS Code no longer knows this item of the hierarchy");
    }
    return item;
  }
}
