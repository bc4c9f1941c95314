// The conversation of the current session in the output channel "Copydesk".
//
// Contract: parts appear in their order, each once; the model's text appears while it is written, and slower while the user types, because
// VS Code draws the channel in the thread that handles keys. The channel never shows itself; only a command of the user does that.

import type { PartInfo } from "copydesk-protocol";
import type { OutputChannel } from "vscode";
import { Disposable, window } from "vscode";
import type { OwnEdits } from "../edits/ownEdits";
import { limits } from "../timeLimits";
import { isSettled, isStreamed, partText } from "./partText";
import type { Sessions } from "./sessions";
import type { SessionView, ViewChange } from "./view";
import { sessionName } from "./view";

export class Transcript implements Disposable {
  #channel: OutputChannel | undefined;
  #shown: string | undefined;
  /** The parts that are written completely. */
  #written = new Set<string>();
  /** The first part that is not, and how much of its text is written. */
  #head: { id: string; length: number } | undefined;
  /** Whether the last line is that of a call, which a text does not follow directly. */
  #isAfterCall = false;
  #pending = "";
  #timer: NodeJS.Timeout | undefined;
  #lastWrite = 0;
  readonly #listener: Disposable;

  constructor(
    private readonly sessions: Sessions,
    private readonly ownEdits: OwnEdits,
  ) {
    this.#listener = sessions.onDidChange(({ view, change }) => this.#update(view, change));
  }

  /** Shows the channel; the focus stays. */
  show(): void {
    this.#open().show(true);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listener.dispose();
    this.#channel?.dispose();
  }

  #open(): OutputChannel {
    this.#channel ??= window.createOutputChannel("Copydesk", "markdown");
    return this.#channel;
  }

  #update(view: SessionView, change: ViewChange): void {
    if (view !== this.sessions.current) {
      return;
    }
    if (this.#shown !== view.id || change.kind === "loaded") {
      this.#rewrite(view);
    } else if (change.kind === "void") {
      this.#drop(change.part);
    } else if (change.kind === "warning") {
      this.#write(`  ! ${change.message}\n`);
    }
    this.#advance(view);
  }

  #rewrite(view: SessionView): void {
    this.#shown = view.id;
    this.#written.clear();
    this.#head = undefined;
    this.#pending = "";
    this.#open().replace(`${sessionName(view.session)}\n${view.earlier ? "(Earlier parts are not shown.)\n" : ""}`);
    view.warnings.forEach((message) => this.#write(`  ! ${message}\n`));
  }

  /** The model's attempt failed. What was written of it stays, marked: a channel has no way back. */
  #drop(part: PartInfo): void {
    if (this.#head?.id === part.id) {
      this.#write(this.#head.length > 0 ? "… (dropped)\n\n" : "");
      this.#head = undefined;
    }
  }

  /** Writes what is new from the first unfinished part on. */
  #advance(view: SessionView): void {
    let at = view.parts.length;
    while (at > 0 && !this.#written.has(view.parts[at - 1]?.id ?? "")) {
      at -= 1;
    }
    for (const part of view.parts.slice(at)) {
      const begun = this.#head?.id === part.id ? this.#head.length : 0;
      const text = isSettled(part) ? partText(part) : isStreamed(part) && part.content.kind === "text" ? part.content.text : undefined;
      if (text) {
        const isText = part.content.kind === "text";
        this.#write((begun === 0 && isText && this.#isAfterCall ? "\n" : "") + text.slice(begun));
        this.#isAfterCall = part.content.kind === "call";
      }
      if (!isSettled(part)) {
        this.#head = { id: part.id, length: text?.length ?? 0 };
        return;
      }
      this.#written.add(part.id);
      this.#head = undefined;
    }
  }

  #write(text: string): void {
    this.#pending += text;
    this.#timer ??= setTimeout(() => this.#flush(), limits.transcript);
  }

  #flush(): void {
    const now = Date.now();
    const isHeld = this.ownEdits.isTypingAnywhere(limits.typing) && now - this.#lastWrite < limits.transcriptWhileTyping;
    this.#timer = isHeld ? setTimeout(() => this.#flush(), limits.transcript) : undefined;
    if (!isHeld) {
      this.#lastWrite = now;
      this.#open().append(this.#pending);
      this.#pending = "";
    }
  }
}
