// The whole page: the bar, the conversation or the welcome, the asks, the input.

import { useEffect } from "preact/hooks";
import { AskList } from "./asks/askList";
import { Bar } from "./bar";
import { Conversation } from "./conversation";
import { Announcements } from "./announcements";
import { Input } from "./input/input";
import { head, isEmpty, requestInputFocus } from "./state";
import { ConnectionProblem, Welcome } from "./welcome";

export function Chat() {
  useEffect(() => {
    // VS Code gives the focus to the page; the user wants it in the input.
    const handleFocus = () => document.activeElement === document.body && requestInputFocus();
    addEventListener("focus", handleFocus);
    return () => removeEventListener("focus", handleFocus);
  }, []);
  if (!head.value) {
    return <main class="chat" aria-busy="true" aria-label="Copydesk chat" />;
  }
  return (
    <main class="chat" aria-label="Copydesk chat">
      <Bar head={head.value} />
      {isEmpty.value ? <Welcome head={head.value} /> : <Conversation />}
      {!isEmpty.value && <ConnectionProblem head={head.value} />}
      <AskList />
      <Input head={head.value} />
      <Announcements />
    </main>
  );
}
