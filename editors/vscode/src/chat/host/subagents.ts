// The calls of subagents, for the rows of the tasks that they work on.
//
// Contract: this window is attached to the session of a subagent while its row shows calls: while the task runs, and while the row is
// unfolded. It leaves the session afterwards, unless the user has opened it. A session that cannot be loaded has no calls.

import type { CallInfo, PartInfo } from "copydesk-protocol";
import type { Disposable } from "vscode";
import { log } from "../../daemon/log";
import { problemOf } from "../../daemon/requests";
import type { Sessions } from "../../sessions/sessions";
import type { SessionView, ViewChange } from "../../sessions/view";
import type { CallRow, Row, TaskCall } from "../wire/rows";
import { stateOf, summaryOf } from "./callSummary";
import { labelOf } from "./plainText";

/** The most sessions that are attached for this. */
const MAX_FOLLOWED = 20;
/** The most calls that an unfolded row lists, and a folded one of a running task. */
const MAX_CALLS = 100;
const MAX_FOLDED = 3;

export interface TaskCalls {
  calls: TaskCall[];
  /** How many calls were before these. */
  earlier: number;
}

const NONE: TaskCalls = { calls: [], earlier: 0 };

function isLive({ state }: CallRow): boolean {
  return state === "running" || state === "pending" || state === "waiting";
}

function callOf(part: PartInfo, call: CallInfo): TaskCall {
  return {
    id: part.id,
    name: labelOf(call.name, 60),
    summary: summaryOf(call),
    state: stateOf(part, call, false),
    since: part.created,
    took: call.output?.milliseconds,
  };
}

export class Subagents implements Disposable {
  /** The session of each row that shows calls, by the row. */
  #followed = new Map<string, string>();
  readonly #attached = new Set<string>();

  constructor(
    private readonly sessions: Sessions,
    private readonly touch: (row: string) => void,
  ) {}

  /** What a row lists: nothing if it is folded and its task is over. */
  callsOf(row: string, isOpen: boolean): TaskCalls {
    const view = this.sessions.get(this.#followed.get(row) ?? "");
    if (!view) {
      return NONE;
    }
    const all = view.parts.flatMap((part) => (part.content.kind === "call" ? [callOf(part, part.content)] : []));
    const calls = all.slice(isOpen ? -MAX_CALLS : -MAX_FOLDED);
    return { calls, earlier: all.length - calls.length };
  }

  /** Follows the sessions of these rows that show calls, and no others. A row that begins or ceases to show calls is to be made again. */
  follow(rows: readonly Row[]): void {
    const before = this.#followed;
    this.#followed = new Map();
    for (const row of rows) {
      if (row.kind === "call" && row.task?.session !== undefined && (row.isOpen || isLive(row)) && this.#followed.size < MAX_FOLLOWED) {
        this.#followed.set(row.id, row.task.session);
      }
    }
    const wanted = new Set(this.#followed.values());
    [...this.#attached].filter((session) => !wanted.has(session)).forEach((session) => this.#leave(session));
    [...this.#followed].filter(([row]) => !before.has(row)).forEach(([row, session]) => this.#attach(row, session));
    rows.filter(({ id }) => before.has(id) && !this.#followed.has(id)).forEach(({ id }) => this.touch(id));
  }

  /** Whether a row shows calls of a session. */
  shows(session: string): boolean {
    return [...this.#followed.values()].includes(session);
  }

  /** A session has changed. */
  note(view: SessionView, change: ViewChange): void {
    const isOfCall = "part" in change && change.part.content.kind === "call";
    if (this.#attached.has(view.id) && (isOfCall || change.kind === "loaded" || change.kind === "gone")) {
      [...this.#followed].filter(([, session]) => session === view.id).forEach(([row]) => this.touch(row));
    }
  }

  dispose(): void {
    this.follow([]);
  }

  #attach(row: string, session: string): void {
    if (this.sessions.get(session) === undefined) {
      this.#attached.add(session);
      this.sessions.load(session).catch((error) => log().info(`the subagent's session ${session} is not shown: ${problemOf(error)}`));
    } else {
      this.touch(row);
    }
  }

  #leave(session: string): void {
    this.#attached.delete(session);
    this.sessions.release(session);
  }
}
