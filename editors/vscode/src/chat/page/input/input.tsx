// The input: several lines, history, what goes along, who answers, and how full the context is.
//
// Contract: the text belongs to the user: the host replaces it only with a draft of a new number. Every change reaches the host within
// a moment, so that it survives hiding and reloading. Keys that are ours stop here; VS Code would act on them, too.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { MAX_PROMPT, type Head } from "../../wire/messages";
import { Icon, IconButton } from "../buttons";
import { post } from "../connection";
import { asks, draft, focusRequests, sentPrompts } from "../state";
import { PromptHistory } from "./history";
import { InputTools } from "./inputTools";

/** How long after a key the host is told the draft. */
const DRAFT_MS = 150;
/** The input grows up to this share of the page. */
const MAX_SHARE = 0.4;

function fit(area: HTMLTextAreaElement): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * MAX_SHARE)}px`;
}

function placeholderOf(head: Head): string {
  if (head.running === undefined) {
    return "Ask Copydesk. Enter sends, Shift+Enter makes a new line.";
  }
  return "Enter tells the running turn, Ctrl+Enter sends after it.";
}

/** Sends the text and empties the input. */
function useSender(area: { current: HTMLTextAreaElement | null }, history: PromptHistory, head: Head) {
  return (isQueued: boolean) => {
    const text = area.current?.value ?? "";
    if (area.current && text.trim() !== "" && !head.problem) {
      post({ kind: "send", text, isSteering: head.running !== undefined && !isQueued });
      sentPrompts.value = [...sentPrompts.peek().filter((one) => one !== text), text];
      history.reset();
      area.current.value = "";
      fit(area.current);
    }
  };
}

/** Tells the host what is written, a moment after the last key. */
function useDraftPoster() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => post({ kind: "draft", text: text.slice(0, MAX_PROMPT) }), text === "" ? 0 : DRAFT_MS);
  };
}

function ContextChips({ head }: { head: Head }) {
  if (head.context.length === 0 && head.selection === undefined) {
    return null;
  }
  return (
    <ul class="chips" aria-label="Goes with the prompt">
      {head.selection !== undefined && (
        <li class="chip selection" title="The selection goes with the prompt">
          <Icon name="list-selection" />
          {head.selection}
        </li>
      )}
      {head.context.map((label) => (
        <li key={label} class="chip">
          <Icon name="file" />
          {label}
          <IconButton icon="close" label={`Remove ${label}`} run={() => post({ kind: "dropContext", label })} />
        </li>
      ))}
    </ul>
  );
}

export function Input({ head }: { head: Head }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const history = useRef(new PromptHistory()).current;
  const postDraft = useDraftPoster();
  const send = useSender(area, history, head);
  const { number, text } = draft.value;
  const focusCount = focusRequests.value;

  useLayoutEffect(() => {
    if (area.current && area.current.value !== text) {
      area.current.value = text;
      fit(area.current);
      postDraft(text);
    }
  }, [number]);
  useEffect(() => {
    if (focusCount > 0) {
      area.current?.focus();
    }
  }, [focusCount]);

  const show = (value: string | undefined, event: KeyboardEvent) => {
    if (area.current && value !== undefined) {
      event.preventDefault();
      area.current.value = value;
      area.current.setSelectionRange(value.length, value.length);
      fit(area.current);
      postDraft(value);
    }
  };

  const handleKey = (event: KeyboardEvent) => {
    const element = area.current;
    if (!element || event.isComposing) {
      return;
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      send(event.ctrlKey || event.metaKey);
      postDraft(element.value);
    } else if (event.key === "Escape" && isPlain && head.running !== undefined && asks.peek().length === 0) {
      event.stopPropagation();
      post({ kind: "stop" });
    } else if (event.key === "ArrowUp" && isPlain && element.value === "" && asks.peek().length > 0) {
      event.preventDefault();
      document.querySelector<HTMLElement>(".asks button[data-reply], .asks input")?.focus();
    } else if (event.key === "ArrowUp" && isPlain && !element.value.slice(0, element.selectionStart).includes("\n")) {
      show(history.earlier(sentPrompts.peek(), element.value), event);
    } else if (event.key === "ArrowDown" && isPlain && !element.value.slice(element.selectionEnd).includes("\n")) {
      show(history.later(sentPrompts.peek()), event);
    }
  };

  return (
    <footer class="input">
      <ContextChips head={head} />
      <textarea
        ref={area}
        rows={2}
        maxLength={MAX_PROMPT}
        aria-label="Prompt"
        placeholder={placeholderOf(head)}
        onKeyDown={handleKey}
        onInput={(event) => (fit(event.currentTarget), postDraft(event.currentTarget.value))}
        onBlur={(event) => post({ kind: "draft", text: event.currentTarget.value.slice(0, MAX_PROMPT) })}
      />
      <InputTools head={head} send={() => (send(false), postDraft(area.current?.value ?? ""), area.current?.focus())} />
    </footer>
  );
}
