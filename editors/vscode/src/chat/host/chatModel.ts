// What a page of the chat shows: the rows of its session, its asks, and the head.
//
// Contract: it only reads the desk. Changes are collected and told at most once for each frame; a reset says that everything is new.
// What the user unfolded, wrote and queued is kept here, so a page that was hidden shows exactly what it showed.

import { isDeepStrictEqual } from "node:util";
import { Disposable, EventEmitter, Uri, window, workspace } from "vscode";
import type { Desk } from "../../desk";
import { shownPath } from "../../documents/save";
import type { SessionView, ViewChange } from "../../sessions/view";
import { sessionName } from "../../sessions/view";
import { limits } from "../../timeLimits";
import type { AskCard, ChatChange, Head } from "../wire/messages";
import { MAX_PROMPT } from "../wire/messages";
import type { Row, RowHunk } from "../wire/rows";
import { cardOf } from "./askCards";
import { Attachments } from "./attachments";
import type { Drafts } from "./drafts";
import type { QueuedPrompt } from "./extraRows";
import { feedbackRows, queuedRow, warningRow } from "./extraRows";
import { headOf } from "./head";
import type { ChatHunks } from "./hunks";
import type { ModelCatalogue } from "./modelCatalogue";
import { labelOf } from "./plainText";
import { changesBetween, RowList } from "./rowList";
import type { ShownSession } from "./shownSession";
import { Subagents } from "./subagents";

/** The most rows that are kept unfolded. */
const MAX_OPEN = 500;

/** What may have to be made again. */
type StalePiece = "rows" | "head" | "asks" | "hunks";

/** What all pages share. */
export interface ChatCommons {
  readonly drafts: Drafts;
  readonly hunks: ChatHunks;
  readonly catalogue: ModelCatalogue;
}

/** A path for the user. */
function relative(path: string): string {
  return shownPath(Uri.file(path).toString());
}

export class ChatModel implements Disposable {
  rows: Row[] = [];
  head: Head;
  asks: AskCard[] = [];
  draft = { number: 0, text: "" };
  /** The images and PDFs that go with the next prompt. */
  readonly attachments: Attachments;
  readonly #list = new RowList();
  readonly #subagents: Subagents;
  readonly #open = new Set<string>();
  readonly #deltas = new Map<string, string>();
  #hunksByCall = new Map<string, RowHunk[]>();
  #waiting = new Set<string>();
  #queued: QueuedPrompt[] = [];
  #shown: string | undefined;
  /** The session that was deleted, whose draft is shown: what its page sent before it knew may still come. */
  #carriedFrom: string | undefined;
  /** What is to be made again at the next flush. */
  #stale: Record<StalePiece, boolean> = { rows: true, head: true, asks: true, hunks: true };
  #timer: NodeJS.Timeout | undefined;
  #flushed = 0;
  readonly #changed = new EventEmitter<ChatChange[]>();
  readonly #reset = new EventEmitter<void>();
  readonly #disposables: Disposable[];

  readonly onDidChange = this.#changed.event;
  /** Everything is new: another session, or one that was loaded again. */
  readonly onDidReset = this.#reset.event;

  constructor(
    readonly desk: Desk,
    readonly shown: ShownSession,
    private readonly commons: ChatCommons,
  ) {
    const { sessions, asks, review, prompts, connection } = desk;
    this.attachments = new Attachments(() => this.#touch("head"));
    this.#subagents = new Subagents(sessions, (row) => (this.#invalidate(row), this.#touch("rows")));
    this.head = this.#makeHead();
    const head = () => this.#touch("head");
    this.#disposables = [
      sessions.onDidChange(({ view, change }) => this.#handle(view, change)),
      asks.onDidChange(() => this.#touch("asks", "rows", "head")),
      review.reviews.onDidChange(() => this.#touch("hunks", "rows", "asks", "head")),
      prompts.context.onDidChange(head),
      connection.onDidChangeState(() => (commons.catalogue.forget(), head())),
      commons.catalogue.onDidChange(head),
      workspace.onDidGrantWorkspaceTrust(head),
      window.onDidChangeTextEditorSelection(head),
      window.onDidChangeActiveTextEditor(head),
      this.#changed,
      this.#reset,
    ];
    this.#restart();
  }

  get drafts(): Drafts {
    return this.commons.drafts;
  }

  get hunks(): ChatHunks {
    return this.commons.hunks;
  }

  /** Whether anything here needs a session to stay attached. */
  needs(session: string): boolean {
    return this.shown.id === session || this.#subagents.shows(session);
  }

  /** Unfolds or folds a row. */
  fold(row: string, isOpen: boolean): void {
    this.#open.delete(row);
    if (isOpen) {
      this.#open.add(row);
    }
    const [oldest] = this.#open;
    if (this.#open.size > MAX_OPEN && oldest !== undefined) {
      this.fold(oldest, false);
    }
    this.#invalidate(row);
    this.#touch("rows");
  }

  /** Puts a text into the input, over what is there. */
  write(text: string): void {
    this.draft = { number: this.draft.number + 1, text: text.slice(0, MAX_PROMPT) };
    this.commons.drafts.set(this.#shown, this.draft.text);
    this.#changed.fire([{ kind: "draft", draft: this.draft }]);
  }

  /** The user has written in the input of a page that shows a session. A page that still shows another one is late: that one gets it. */
  keepDraft(text: string, session = this.#shown): void {
    if (session !== undefined && session === this.#carriedFrom) {
      this.write(text);
      return;
    } else if (session === this.#shown) {
      this.#carriedFrom = undefined;
      this.draft = { number: this.draft.number, text };
    }
    this.commons.drafts.set(session, text);
  }

  /** Shows a prompt that waits for the model's next step, or for the end of the running turn. */
  queue(prompt: QueuedPrompt): void {
    if (!this.shown.view?.parts.some((part) => part.id === prompt.id)) {
      this.#queued.push(prompt);
      this.#touch("rows");
    }
  }

  /** Makes the state up to date now, as for a snapshot. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = this.#collect();
    if (changes.length > 0) {
      this.#changed.fire(changes);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subagents.dispose();
    this.#disposables.forEach((one) => one.dispose());
  }

  #handle(view: SessionView, change: ViewChange): void {
    const current = this.shown.view;
    if (change.kind === "gone" && view.id === this.#shown && !current) {
      void window.showInformationMessage(`The session “${labelOf(sessionName(view.session), 100)}” was deleted. What you wrote is in the input of a new one.`);
    }
    this.#subagents.note(view, change);
    if (current?.id !== this.#shown) {
      this.#restart();
    } else if (view !== current) {
      this.#touch("head");
    } else if (change.kind === "loaded") {
      this.#restart();
    } else if (change.kind === "delta") {
      this.#grow(change.part.id, change.text, change.part.content.kind === "call");
    } else {
      if (change.kind === "part" || change.kind === "void") {
        this.#invalidate(change.part.id, change.part.turn);
        this.#queued = this.#queued.filter((one) => one.id !== change.part.id);
      } else if (change.kind === "session") {
        this.commons.catalogue.forget();
      } else if (change.kind === "turn" && view.running === undefined) {
        // No step follows that would read them.
        this.#queued = this.#queued.filter((one) => !one.steers);
      }
      this.#touch("rows", "head", ...(change.kind === "turn" ? ["hunks" as const] : []));
    }
  }

  #grow(part: string, text: string, isCall: boolean): void {
    if (isCall) {
      this.#invalidate(part);
      this.#touch("rows");
    } else if (this.#list.get(part)) {
      this.#deltas.set(part, (this.#deltas.get(part) ?? "") + text);
      this.#schedule();
    }
  }

  #invalidate(part: string, turn?: number): void {
    // The row will be made from the whole text.
    this.#deltas.delete(part);
    this.#list.invalidate(part, turn);
  }

  #makeHead(): Head {
    return headOf(this.desk, this.shown.view, this.commons.catalogue, this.attachments);
  }

  /** Shows the session from the beginning. */
  #restart(): void {
    const id = this.shown.view?.id;
    if (id !== this.#shown || this.draft.number === 0) {
      // What was written before there was a session goes along into the first one, and what was written in one that was deleted into the next.
      const carried = this.#shown === undefined || id === undefined ? this.draft.text : "";
      this.#carriedFrom = id === undefined ? this.#shown : undefined;
      const text = this.commons.drafts.get(id) || carried;
      if (carried !== "" && text === carried) {
        this.commons.drafts.set(this.#shown, "");
        this.commons.drafts.set(id, text);
      }
      this.#shown = id;
      this.#queued = [];
      this.draft = { number: this.draft.number + 1, text };
    }
    this.#list.clear();
    this.#deltas.clear();
    this.#stale = { rows: true, head: true, asks: true, hunks: true };
    this.#collect();
    this.#reset.fire();
  }

  #touch(...what: StalePiece[]): void {
    what.forEach((one) => (this.#stale[one] = true));
    this.#schedule();
  }

  /** The first change after a pause is told at once; those in a row come once for each frame. */
  #schedule(): void {
    const wait = Math.max(0, this.#flushed + limits.chatFrame - Date.now());
    this.#timer ??= setTimeout(() => this.refresh(), wait);
  }

  #collect(): ChatChange[] {
    this.#flushed = Date.now();
    const changes = this.#appended();
    const { rows, head, asks, hunks } = this.#stale;
    this.#stale = { rows: false, head: false, asks: false, hunks: false };
    if (hunks) {
      this.#updateHunks();
    }
    if (asks) {
      changes.push(...this.#updateAsks());
    }
    if (rows || hunks || asks) {
      const before = this.rows;
      this.rows = this.#build();
      changes.push(...changesBetween(before, this.rows));
    }
    const now = head ? this.#makeHead() : this.head;
    if (!isDeepStrictEqual(now, this.head)) {
      this.head = now;
      changes.push({ kind: "head", head: now });
    }
    return changes;
  }

  /** The streamed texts since the last flush. */
  #appended(): ChatChange[] {
    const changes: ChatChange[] = [];
    for (const [id, text] of this.#deltas) {
      const grown = this.#list.append(id, text);
      const at = grown ? this.rows.findLastIndex((row) => row.id === id) : -1;
      if (grown && at >= 0) {
        this.rows[at] = grown.row;
        changes.push({ kind: "append", id, text: grown.text });
      }
    }
    this.#deltas.clear();
    return changes;
  }

  #updateHunks(): void {
    const { view } = this.shown;
    const before = this.#hunksByCall;
    this.#hunksByCall = view ? this.commons.hunks.byCall(view) : new Map();
    for (const part of new Set([...before.keys(), ...this.#hunksByCall.keys()])) {
      if (!isDeepStrictEqual(before.get(part), this.#hunksByCall.get(part))) {
        this.#invalidate(part);
      }
    }
  }

  #updateAsks(): ChatChange[] {
    const { asks, askViews } = this.desk;
    const open = asks.all().filter((ask) => ask.session === this.#shown);
    const before = this.#waiting;
    this.#waiting = new Set(open.map((ask) => ask.params.part));
    const isNew = [...this.#waiting].filter((part) => !before.has(part));
    [...isNew, ...[...before].filter((part) => !this.#waiting.has(part))].forEach((part) => this.#invalidate(part));
    const cards = open.slice(0, 50).map((ask) => cardOf(askViews, ask));
    if (isDeepStrictEqual(cards, this.asks)) {
      return [];
    }
    this.asks = cards;
    return [{ kind: "asks", asks: cards }];
  }

  #build(): Row[] {
    const { view } = this.shown;
    if (!view) {
      this.#subagents.follow([]);
      return [];
    }
    const taskCalls = (part: string, isOpen: boolean) => this.#subagents.callsOf(part, isOpen);
    const rows = this.#list.build(view, { open: this.#open, waiting: this.#waiting, hunks: this.#hunksByCall, relative, taskCalls });
    this.#subagents.follow(rows);
    return [...view.warnings.map(warningRow), ...rows, ...feedbackRows(view.feedback), ...this.#queued.map(queuedRow)];
  }
}
