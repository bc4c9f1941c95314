// The rows of one session, kept up to date with its parts.
//
// Contract: rows are immutable; a row that did not change keeps its object. `build` makes the whole list and reuses every row that was
// not invalidated; `append` is the short way for a streamed text. `changesBetween` says how one list becomes the other.

import type { PartInfo } from "copydesk-protocol";
import type { SessionView } from "../../sessions/view";
import type { ChatChange } from "../wire/messages";
import type { Row, RowHunk } from "../wire/rows";
import { MAX_TEXT } from "../wire/rows";
import { costText, durationText, plural } from "../words";
import { fieldsOf, metadataOf } from "./callSummary";
import { labelOf, plainText } from "./plainText";
import { rowOf } from "./rows";
import type { TaskCalls } from "./subagents";

/** What the rows depend on besides the parts. */
export interface RowContext {
  open: ReadonlySet<string>;
  /** The parts whose calls wait for the user. */
  waiting: ReadonlySet<string>;
  hunks: ReadonlyMap<string, RowHunk[]>;
  relative: (path: string) => string;
  taskCalls: (part: string, isOpen: boolean) => TaskCalls;
}

/** The images and PDFs of a prompt: the parts that follow it directly. */
function filesOfPrompt(parts: readonly PartInfo[], prompt: number): PartInfo[] {
  let end = prompt + 1;
  while (parts[end]?.content.kind === "file") {
    end += 1;
  }
  return parts.slice(prompt + 1, end);
}

function fileName({ content }: PartInfo): string {
  return content.kind === "file" ? (content.name ?? content.mime) : "";
}

function summaryText(parts: readonly PartInfo[], files: number): string {
  const [first, last] = [parts[0], parts.at(-1)];
  const took = first && last ? Math.max(0, last.updated - first.created) : 0;
  let [written, cost] = [0, 0];
  for (const { content } of parts) {
    if (content.kind === "stepFinish") {
      written += content.usage.output;
      cost += content.cost ?? 0;
    }
  }
  const words = [
    durationText(took),
    written > 0 && `${plural(written, "token")} written`,
    cost > 0 && costText(cost),
    files > 0 && `${plural(files, "file")} changed`,
  ];
  return words.filter(Boolean).join(" · ");
}

/** The row below a finished turn; undefined for a turn that only has its prompt. */
function turnSummary(turn: number, parts: readonly PartInfo[]): Row | undefined {
  const files = new Set<string>();
  let hasWork = false;
  for (const { content, state } of parts) {
    hasWork ||= content.kind === "text" || content.kind === "call";
    const shown = content.kind === "call" && content.name !== "task" && state.kind === "completed" ? metadataOf(content) : {};
    const list = Array.isArray(shown.files) ? shown.files.map(fieldsOf) : [shown];
    list.forEach(({ filepath }) => typeof filepath === "string" && files.add(filepath));
  }
  return hasWork ? { kind: "summary", id: `turn-${turn}`, turn, text: labelOf(summaryText(parts, files.size)), canUndo: files.size > 0 } : undefined;
}

export class RowList {
  /** `undefined` is the row of a part that shows nothing. */
  readonly #known = new Map<string, Row | undefined>();
  readonly #summaries = new Map<number, Row | undefined>();

  get(id: string): Row | undefined {
    return this.#known.get(id);
  }

  /** A part has changed. */
  invalidate(part: string, turn?: number): void {
    this.#known.delete(part);
    if (turn !== undefined) {
      this.#summaries.delete(turn);
    }
  }

  clear(): void {
    this.#known.clear();
    this.#summaries.clear();
  }

  /** Appends to a streamed text; returns what is to be sent, or undefined if the row does not show it. */
  append(part: string, text: string): { row: Row; text: string } | undefined {
    const row = this.#known.get(part);
    if (!row || (row.kind !== "answer" && !(row.kind === "reasoning" && row.isOpen))) {
      return undefined;
    }
    const plain = plainText(text);
    if (row.text.length + plain.length > MAX_TEXT - 200) {
      return undefined;
    }
    const grown: Row = { ...row, text: row.text + plain };
    this.#known.set(part, grown);
    return { row: grown, text: plain };
  }

  build(view: SessionView, context: RowContext): Row[] {
    const rows: Row[] = [];
    let begin = 0;
    for (const [at, part] of view.parts.entries()) {
      const row = this.#rowOf(part, part.content.kind === "prompt" ? filesOfPrompt(view.parts, at) : [], context);
      if (row) {
        rows.push(row);
      }
      if (view.parts[at + 1]?.turn !== part.turn) {
        const summary = part.turn === view.running ? undefined : this.#summaryOf(view, part.turn, begin, at + 1);
        if (summary) {
          rows.push(summary);
        }
        begin = at + 1;
      }
    }
    return rows;
  }

  #rowOf(part: PartInfo, files: readonly PartInfo[], { open, waiting, hunks, relative, taskCalls }: RowContext): Row | undefined {
    const { id } = part;
    // A prompt's row names its files, which come after it.
    if (!this.#known.has(id) || files.some((file) => !this.#known.has(file.id))) {
      const media = files.map(fileName);
      const around = { isOpen: open.has(id), isWaiting: waiting.has(id), hunks: hunks.get(id) ?? [], relative, media };
      this.#known.set(id, rowOf(part, { ...around, taskCalls: taskCalls(id, around.isOpen) }));
    }
    return this.#known.get(id);
  }

  #summaryOf(view: SessionView, turn: number, begin: number, end: number): Row | undefined {
    if (!this.#summaries.has(turn)) {
      this.#summaries.set(turn, turnSummary(turn, view.parts.slice(begin, end)));
    }
    return this.#summaries.get(turn);
  }
}

/** How one list becomes the other: one splice where ids differ, and the rows of the same id that changed. */
export function changesBetween(before: readonly Row[], after: readonly Row[]): ChatChange[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head]?.id === after[head]?.id) {
    head += 1;
  }
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail)?.id === after.at(-1 - tail)?.id) {
    tail += 1;
  }
  const [removed, added] = [before.length - head - tail, after.slice(head, after.length - tail)];
  const changes: ChatChange[] = removed > 0 || added.length > 0 ? [{ kind: "splice", at: head, remove: removed, rows: added }] : [];
  const isChanged = (row: Row, at: number) =>
    (at < head ? before[at] : at >= after.length - tail ? before[before.length - after.length + at] : row) !== row;
  return [...changes, ...after.filter(isChanged).map((row): ChatChange => ({ kind: "row", row }))];
}
