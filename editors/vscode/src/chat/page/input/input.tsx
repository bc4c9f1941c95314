// The input: several lines, completions, history, what goes along, who answers, and how full the context is.
//
// Contract: the text belongs to the user: the host replaces it only with a draft of a new number. Every change reaches the host within
// a moment, so that it survives hiding and reloading. Keys that are ours stop here; VS Code would act on them, too.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { MAX_HISTORY, MAX_PROMPT, type Head } from "../../wire/messages";
import { post } from "../connection";
import { focusConversation } from "../conversation";
import { asks, draft, focusRequests, head as state, inputNotice, requestEnd, sentPrompts } from "../state";
import { choices, chosen, closeCompletion, takeChoice, updateCompletion, type Choice } from "./completion";
import { choiceId, CompletionList, LIST_ID } from "./completionList";
import { ContextChips } from "./contextChips";
import { PromptHistory } from "./history";
import { InputTools } from "./inputTools";
import { handleMedia } from "./media";

/** A longer draft is told to the host a moment after the last key, a shorter one at each key. */
const LONG_DRAFT = 10_000;
const DRAFT_MS = 150;
/** The input grows up to this share of the page. */
const MAX_SHARE = 0.4;

function fit(area: HTMLTextAreaElement): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * MAX_SHARE)}px`;
}

function placeholderOf(head: Head): string {
  if (head.running === undefined) {
    return "Ask Copydesk. @ adds context, / runs a command.";
  }
  return "Enter tells the running turn, Ctrl+Enter sends after it.";
}

/** Sends the text and empties the input. */
function useSender(area: { current: HTMLTextAreaElement | null }, history: PromptHistory, head: Head) {
  return (isQueued: boolean) => {
    const text = area.current?.value ?? "";
    if (area.current && text.trim() !== "" && !head.problem) {
      post({ kind: "send", text, isSteering: head.running !== undefined && !isQueued });
      sentPrompts.value = [...sentPrompts.peek().filter((one) => one !== text), text].slice(-MAX_HISTORY);
      history.reset();
      requestEnd();
      area.current.value = "";
      fit(area.current);
    }
  };
}

/** Tells the host what is written. */
function useDraftPoster() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (text: string) => {
    clearTimeout(timer.current);
    const tell = () => post({ kind: "draft", text: text.slice(0, MAX_PROMPT), session: state.peek()?.session });
    if (text.length > LONG_DRAFT) {
      timer.current = setTimeout(tell, DRAFT_MS);
    } else {
      tell();
    }
  };
}

/** The keys of the list of completions; whether the key was one. */
function handleChoiceKey(event: KeyboardEvent, take: (choice: Choice) => void): boolean {
  const list = choices.peek();
  const choice = list[chosen.peek()];
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
  if (!choice || !isPlain) {
    return false;
  } else if (event.key === "Enter" || event.key === "Tab") {
    take(choice);
  } else if (event.key === "Escape") {
    closeCompletion();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    chosen.value = (chosen.peek() + (event.key === "ArrowDown" ? 1 : list.length - 1)) % list.length;
  } else {
    return false;
  }
  event.preventDefault();
  event.stopPropagation();
  return true;
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

  const put = (value: string, cursor: number) => {
    if (area.current) {
      area.current.value = value;
      area.current.setSelectionRange(cursor, cursor);
      fit(area.current);
      postDraft(value);
    }
  };
  const show = (value: string | undefined, event: KeyboardEvent) => {
    if (value !== undefined) {
      event.preventDefault();
      put(value, value.length);
    }
  };
  const take = (choice: Choice) => {
    const taken = takeChoice(choice, area.current?.value ?? "", area.current?.selectionEnd ?? 0);
    put(taken.text, taken.cursor);
  };

  /** Writes the sign at the cursor, with a space before it if it follows a word. */
  const mention = () => {
    const element = area.current;
    if (element) {
      const before = element.value.slice(0, element.selectionEnd);
      const sign = /\S$/.test(before) ? " @" : "@";
      put(before + sign + element.value.slice(element.selectionEnd), before.length + sign.length);
      element.focus();
      updateCompletion(element.value, element.selectionEnd);
    }
  };

  const handleKey = (event: KeyboardEvent) => {
    const element = area.current;
    if (!element || event.isComposing || handleChoiceKey(event, take)) {
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
    } else if (event.key === "ArrowUp" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      focusConversation();
    } else if (event.key === "ArrowUp" && isPlain && element.value === "" && asks.peek().length > 0) {
      event.preventDefault();
      document.querySelector<HTMLElement>(".asks button[data-reply], .asks input")?.focus();
    } else if (event.key === "ArrowUp" && isPlain && !element.value.slice(0, element.selectionStart).includes("\n")) {
      show(history.earlier(sentPrompts.peek(), element.value), event);
    } else if (event.key === "ArrowDown" && isPlain && !element.value.slice(element.selectionEnd).includes("\n")) {
      show(history.later(sentPrompts.peek()), event);
    }
  };

  const handleInput = (element: HTMLTextAreaElement) => {
    inputNotice.value = "";
    fit(element);
    postDraft(element.value);
    updateCompletion(element.value, element.selectionEnd);
  };
  const isChoosing = choices.value.length > 0;

  return (
    <footer class="input">
      <CompletionList take={take} />
      <ContextChips head={head} />
      {inputNotice.value !== "" && (
        <div class="input-notice" role="alert">
          {inputNotice.value}
        </div>
      )}
      <textarea
        ref={area}
        rows={2}
        maxLength={MAX_PROMPT}
        aria-label="Prompt"
        aria-autocomplete="list"
        aria-controls={isChoosing ? LIST_ID : undefined}
        aria-activedescendant={isChoosing ? choiceId(chosen.value) : undefined}
        placeholder={placeholderOf(head)}
        onKeyDown={handleKey}
        onPaste={handleMedia}
        onDrop={handleMedia}
        onInput={(event) => handleInput(event.currentTarget)}
        onBlur={(event) => (closeCompletion(), postDraft(event.currentTarget.value))}
      />
      <InputTools head={head} mention={mention} send={() => (send(false), postDraft(area.current?.value ?? ""), area.current?.focus())} />
    </footer>
  );
}
