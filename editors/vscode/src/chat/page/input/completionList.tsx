// The list of completions above the input. The focus stays in the input, which names the chosen one to screen readers.

import { choices, chosen, type Choice } from "./completion";

export const LIST_ID = "completions";

export function choiceId(at: number): string {
  return `completion-${at}`;
}

export function CompletionList({ take }: { take: (choice: Choice) => void }) {
  const list = choices.value;
  return list.length === 0 ? null : (
    <ul id={LIST_ID} class="completions" role="listbox" aria-label="Completions">
      {list.map((choice, at) => (
        <li
          key={choice.label}
          id={choiceId(at)}
          role="option"
          aria-selected={at === chosen.value}
          ref={at === chosen.value ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
          // Not a click: the input would lose the focus before it.
          onMouseDown={(event) => (event.preventDefault(), take(choice))}
        >
          <span class="completion-label">{choice.label}</span>
          {choice.detail && <span class="completion-detail">{choice.detail}</span>}
        </li>
      ))}
    </ul>
  );
}
