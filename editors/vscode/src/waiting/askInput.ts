// Quick inputs that belong to an ask.
//
// Contract: an input closes when its ask is settled elsewhere. Leaving it answers nothing: the ask stays open. It stays when the user
// looks at something else meanwhile.

import type { InputBox, QuickInput, QuickInputButton, QuickPick, QuickPickItem } from "vscode";
import { QuickInputButtons, window } from "vscode";
import type { Asks } from "./asks";

/** A button in the title of an input, and what it does. */
export interface TitleButton extends QuickInputButton {
  run: () => void;
}

export interface AskInputOptions {
  title: string;
  placeholder: string;
  /** The number of this step, from 1, of how many. From the second on there is a button back. */
  step?: { number: number; total: number };
  buttons?: TitleButton[];
}

/** What the user did: the answer, back to the input before, or left. */
export type AskInputResult<T> = { answer: T } | "back" | undefined;

function prepare(input: QuickPick<QuickPickItem> | InputBox, { title, placeholder, step, buttons = [] }: AskInputOptions): void {
  input.title = title;
  input.placeholder = placeholder;
  input.ignoreFocusOut = true;
  const total = step?.total ?? 1;
  input.totalSteps = total > 1 ? total : undefined;
  input.step = total > 1 ? step?.number : undefined;
  const isFirst = (step?.number ?? 1) === 1;
  input.buttons = [...(isFirst ? [] : [QuickInputButtons.Back]), ...buttons];
}

/** Shows an input until `accept` gives something, the user leaves, or the ask is settled. */
function show<T>(asks: Asks, ask: string, input: QuickInput, wire: (finish: (result: AskInputResult<T>) => void) => void): Promise<AskInputResult<T>> {
  return new Promise((resolve) => {
    const finish = (result: AskInputResult<T>) => {
      resolve(result);
      input.hide();
    };
    wire(finish);
    const listener = asks.onDidChange(() => !asks.get(ask) && finish(undefined));
    input.onDidHide(() => {
      listener.dispose();
      input.dispose();
      resolve(undefined);
    });
    input.show();
  });
}

function handleButton(button: QuickInputButton, finish: (result: AskInputResult<never>) => void): void {
  if (button === QuickInputButtons.Back) {
    finish("back");
  } else if ("run" in button) {
    (button as TitleButton).run();
  }
}

/** Lets the user choose items; several if `isMany`. */
export function pickForAsk<Item extends QuickPickItem>(
  asks: Asks,
  ask: string,
  items: Item[],
  options: AskInputOptions & { isMany?: boolean; picked?: Item[] },
): Promise<AskInputResult<Item[]>> {
  const pick = window.createQuickPick<Item>();
  prepare(pick, options);
  pick.canSelectMany = options.isMany ?? false;
  pick.matchOnDetail = true;
  pick.items = items;
  pick.selectedItems = options.picked ?? [];
  return show<Item[]>(asks, ask, pick, (finish) => {
    pick.onDidTriggerButton((button) => handleButton(button, finish));
    // Without a match, Enter in a pick of one item chooses nothing.
    pick.onDidAccept(() => (pick.canSelectMany || pick.selectedItems.length > 0) && finish({ answer: [...pick.selectedItems] }));
  });
}

/** Lets the user write a line, which must not be blank. */
export function writeForAsk(asks: Asks, ask: string, options: AskInputOptions & { value?: string }): Promise<AskInputResult<string>> {
  const box = window.createInputBox();
  prepare(box, options);
  box.prompt = options.placeholder;
  box.value = options.value ?? "";
  return show<string>(asks, ask, box, (finish) => {
    box.onDidTriggerButton((button) => handleButton(button, finish));
    box.onDidAccept(() => box.value.trim() !== "" && finish({ answer: box.value.trim() }));
  });
}
