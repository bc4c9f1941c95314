// The conversation: a feed of rows, of which only those near the screen exist.
//
// Keys: arrows go from row to row, Home and End to the first and the last, Enter unfolds, Escape goes to the input, and Ctrl+Up comes from
// there.
// Scrolling follows only at the bottom. Where it was scrolled to survives hiding the page.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../wire/rows";
import { IconButton } from "./buttons";
import { post, remember, remembered } from "./connection";
import { RowView, rowName } from "./rows/rowView";
import { endRequests, head, requestInputFocus, rowIndex, rows } from "./state";
import type { RowVirtualizer } from "./virtualRows";
import { END, useVirtualRows } from "./virtualRows";

/** Near the top, earlier parts are requested. */
const TOP = 400;

interface ScrollPlace {
  /** The first row on the screen; missing if the list follows its end. */
  row?: string;
  session?: string;
}

function storedPlace(): ScrollPlace {
  const value = remembered();
  const place = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  return { row: typeof place.row === "string" ? place.row : undefined, session: typeof place.session === "string" ? place.session : undefined };
}

function storePlace(virtualizer: RowVirtualizer): void {
  const session = head.peek()?.session;
  // A tab that is loaded again has no session at first; what it remembers tells which.
  if (session === undefined) {
    return;
  }
  const first = virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0);
  const row = virtualizer.isAtEnd(END) ? undefined : rows.peek()[first?.index ?? -1]?.id;
  remember({ row, session });
}

/** Measures the last row, which may have grown, before the frame: the list's own observer would tell of it within the frame. */
function measureLast(virtualizer: RowVirtualizer, list: readonly Row[]): void {
  const element = virtualizer.elementsCache.get(list.at(-1)?.id ?? "");
  if (element?.isConnected) {
    virtualizer.resizeItem(list.length - 1, element.offsetHeight);
  }
}

/**
 * Goes to where the list was when the page was hidden, else to its end; keeps it there while it grows or its window shrinks, until the
 * user scrolls away.
 */
function useFollowing(virtualizer: RowVirtualizer, scroller: RefObject<HTMLElement | null>, list: readonly Row[]): void {
  const isFollowing = useRef(true);
  /** The row to go back to, which may be among the rows that follow the snapshot. */
  const wanted = useRef<string>(undefined);
  const session = head.value?.session;
  // A row that grows within its last line changes no size: asking for the end then would only force a layout.
  const size = virtualizer.getTotalSize();
  useLayoutEffect(() => {
    const place = storedPlace();
    isFollowing.current = true;
    wanted.current = place.session === session ? place.row : undefined;
    if (session !== undefined) {
      remember({ row: wanted.current, session });
    }
  }, [session]);
  useLayoutEffect(() => {
    if (isFollowing.current) {
      measureLast(virtualizer, list);
    }
  }, [list]);
  useLayoutEffect(() => {
    const at = wanted.current === undefined ? -1 : rowIndex(wanted.current);
    if (at >= 0) {
      wanted.current = undefined;
      isFollowing.current = false;
      virtualizer.scrollToIndex(at, { align: "start" });
    } else if (isFollowing.current && scroller.current) {
      // The virtual list's own way would look again in the next frames whether it has arrived; a row that still grows calls again anyway.
      scroller.current.scrollTop = scroller.current.scrollHeight;
    }
  }, [session, list.length, size]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) {
      return undefined;
    }
    const handleScroll = () => {
      isFollowing.current = element.scrollHeight - element.scrollTop - element.clientHeight <= END;
    };
    const observer = new ResizeObserver(() => requestAnimationFrame(() => isFollowing.current && virtualizer.scrollToEnd()));
    element.addEventListener("scroll", handleScroll, { passive: true });
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", handleScroll);
      observer.disconnect();
    };
  }, [virtualizer]);
}

/** Puts the focus on a row, which may have to be made first. */
function focusRow(virtualizer: RowVirtualizer, at: number): void {
  const list = rows.peek();
  const index = Math.max(0, Math.min(list.length - 1, at));
  const id = list[index]?.id;
  virtualizer.scrollToIndex(index, { align: "auto" });
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`article[data-row="${CSS.escape(id ?? "")}"]`)?.focus({ preventScroll: true }));
}

/** Puts the focus on the first hunk on the screen that is to be decided, else on the last row. */
export function focusConversation(): void {
  (document.querySelector<HTMLElement>(".hunk.undecided") ?? document.querySelector<HTMLElement>("article[tabindex='0']"))?.focus();
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5, Home: -Infinity, End: Infinity };

function handleKey(event: KeyboardEvent, virtualizer: RowVirtualizer): void {
  const { target, key } = event;
  const row = target instanceof HTMLElement && target.matches("article[data-row]") ? target : undefined;
  const step = STEPS[key];
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (key === "Escape") {
    requestInputFocus();
  } else if (row && step !== undefined) {
    const from = rowIndex(row.dataset.row ?? "");
    focusRow(virtualizer, step === Infinity ? Number.MAX_SAFE_INTEGER : step === -Infinity ? 0 : from + step);
  } else if (row && key === "Enter") {
    row.querySelector<HTMLElement>(".fold-line[aria-expanded]")?.click();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

export function Conversation() {
  const scroller = useRef<HTMLDivElement>(null);
  const list = rows.value;
  const virtualizer = useVirtualRows(list, scroller);
  useFollowing(virtualizer, scroller, list);
  const endCount = endRequests.value;
  useLayoutEffect(() => {
    if (endCount > 0) {
      virtualizer.scrollToEnd();
    }
  }, [endCount]);
  useEffect(() => {
    const element = scroller.current;
    const handleScroll = () => {
      storePlace(virtualizer);
      if (element && element.scrollTop < TOP && head.peek()?.hasEarlier) {
        post({ kind: "earlier" });
      }
    };
    element?.addEventListener("scrollend", handleScroll, { passive: true });
    return () => element?.removeEventListener("scrollend", handleScroll);
  }, [virtualizer]);
  const items = virtualizer.getVirtualItems();
  const isAtEnd = virtualizer.isAtEnd(END);
  const lastShown = items.at(-1)?.index;
  return (
    <div class="conversation">
      <div ref={scroller} class="scroller" role="feed" aria-label="Conversation" onKeyDown={(event) => handleKey(event, virtualizer)}>
        <div class="row-space" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {items.map((item) => {
            const row = list[item.index];
            return row ? (
              <article
                key={item.key}
                ref={virtualizer.measureElement}
                class={`row ${row.kind}-row`}
                data-index={item.index}
                data-row={row.id}
                tabIndex={item.index === lastShown ? 0 : -1}
                aria-label={rowName(row)}
                aria-posinset={item.index + 1}
                aria-setsize={list.length}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <RowView row={row} />
              </article>
            ) : null;
          })}
        </div>
      </div>
      {!isAtEnd && (
        <div class="to-end">
          <IconButton icon="arrow-down" label="Go to the end" run={() => virtualizer.scrollToEnd()} />
        </div>
      )}
    </div>
  );
}
