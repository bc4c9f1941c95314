// The virtual list of the conversation: TanStack's core, driven by Preact.
//
// Contract: only rows near the screen are elements. The list stays at its end while it grows if it was there; otherwise the rows on the
// screen stay where they are, also when rows are added before them.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";
import type { Row } from "../wire/rows";

/** How near to the end counts as at the end, in pixels. */
export const END = 48;

/** What a row of each kind takes, until it is measured. */
const HEIGHTS: Record<Row["kind"], number> = { prompt: 70, answer: 120, reasoning: 28, call: 28, remark: 50, retry: 50, summary: 28 };

export type RowVirtualizer = Virtualizer<HTMLElement, HTMLElement>;

export function useVirtualRows(list: readonly Row[], scroller: RefObject<HTMLElement | null>): RowVirtualizer {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const options = {
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at: number) => HEIGHTS[list[at]?.kind ?? "call"],
    getItemKey: (at: number) => list[at]?.id ?? at,
    overscan: 8,
    anchorTo: "end" as const,
    followOnAppend: true,
    scrollEndThreshold: END,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
