// The asks that wait, above the input, so that none scrolls away.
//
// Contract: nothing takes the focus by itself, and no single plain key answers. Alt+1 to Alt+4 answer the first ask from anywhere in the
// page; Arrow Up in the empty input goes to it.

import { useEffect } from "preact/hooks";
import { asks } from "../state";
import { PermissionView } from "./permission";
import { QuestionsView } from "./questions";

/** Alt and a number presses the button of that number in the first ask. */
function handleShortcut(event: KeyboardEvent): void {
  const number = /^Digit([1-4])$/.exec(event.code)?.[1];
  if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && number && asks.peek().length > 0) {
    event.preventDefault();
    event.stopPropagation();
    document.querySelector<HTMLElement>(`.asks [data-reply="${number}"]`)?.click();
  }
}

export function AskList() {
  useEffect(() => {
    addEventListener("keydown", handleShortcut, true);
    return () => removeEventListener("keydown", handleShortcut, true);
  }, []);
  const [first] = asks.value;
  const more = asks.value.length - 1;
  return first ? (
    <section class="asks" aria-label="Waiting for your answer">
      {first.kind === "permission" ? <PermissionView key={first.id} card={first} /> : <QuestionsView key={first.id} card={first} />}
      {more > 0 && (
        <div class="dim">
          {more} more {more === 1 ? "waits" : "wait"} after this.
        </div>
      )}
    </section>
  ) : null;
}
