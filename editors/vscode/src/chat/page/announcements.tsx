// Tells screen readers what happens without the focus: a turn begins and ends, an ask waits. Streamed text is not read aloud.

import { useEffect, useRef, useState } from "preact/hooks";
import { asks, head } from "./state";

export function Announcements() {
  const [text, setText] = useState("");
  const isRunning = head.value?.running !== undefined;
  const waiting = asks.value[0];
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (waiting) {
      setText(waiting.kind === "permission" ? `Copydesk asks: ${waiting.title}. Press Alt and 1 to allow it once.` : "Copydesk asks you a question.");
    } else if (isRunning !== wasRunning.current) {
      setText(isRunning ? "Copydesk works." : "Copydesk is done.");
    }
    wasRunning.current = isRunning;
  }, [isRunning, waiting?.id]);
  return (
    <div class="hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
