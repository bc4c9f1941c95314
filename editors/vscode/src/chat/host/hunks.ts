// The hunks of each call, undecided and decided.
//
// Contract: an undecided hunk is one of the review's store. A hunk that has left the store was decided: how is known if this view decided
// it or if the daemon's feedback tells. What was decided before the window was loaded is not listed; the call's diff shows it.

import type { FeedbackInfo, FileHunkInfo, HunkInfo, ReviewVerdict } from "copydesk-protocol";
import type { Reviews } from "../../review/reviews";
import type { ReviewState } from "../../review/store";
import { sortedHunks } from "../../review/store";
import type { SessionView } from "../../sessions/view";
import type { RowHunk } from "../wire/rows";
import { codeLineOf, labelOf } from "./plainText";

/** How many lines of each side a hunk shows. */
const MAX_LINES = 40;
/** How many hunks of a call are listed, and how many decided ones are remembered. */
const MAX_HUNKS = 100;
const MAX_DECIDED = 2_000;

interface SeenHunk {
  session: string;
  part: string;
  hunk: RowHunk;
}

const FILE_WORDS = { created: "created this file", deleted: "deleted this file", renamed: "renamed this file" };

function fileHunk(review: ReviewState, file: FileHunkInfo): RowHunk {
  const what = `${FILE_WORDS[file.kind]}${file.from ? `, it was ${labelOf(file.from)}` : ""}`;
  return { id: file.hunk, path: labelOf(review.path), line: 1, old: [], new: [], more: 0, state: "undecided", file: what, problems: [] };
}

function lineHunk(review: ReviewState, hunk: HunkInfo, line: number): RowHunk {
  const [old, fresh] = [hunk.old.slice(0, MAX_LINES), hunk.new.slice(0, MAX_LINES)];
  return {
    id: hunk.hunk,
    path: labelOf(review.path),
    line: line + 1,
    old: old.map(codeLineOf),
    new: fresh.map(codeLineOf),
    more: hunk.oldLines - old.length + hunk.newLines - fresh.length,
    state: hunk.deciding || review.writing ? "deciding" : "undecided",
    problems: (hunk.problems ?? [])
      .slice(0, 20)
      .map((one) => labelOf(`${one.severity}${one.code ? ` ${one.code}` : ""}: ${one.message} (${one.source})`)),
  };
}

/** Gives the hunks of calls that the session does not have, those of a subagent, to the last task. */
function adoptStrays(byCall: Map<string, RowHunk[]>, { parts, earlier }: SessionView): void {
  const task = parts.findLast(({ content }) => content.kind === "call" && content.name === "task")?.id;
  // Among parts that are not loaded may be the call itself.
  if (task === undefined || earlier) {
    return;
  }
  const known = new Set(parts.map((part) => part.id));
  for (const [part, hunks] of [...byCall].filter(([part]) => !known.has(part))) {
    byCall.delete(part);
    byCall.set(task, [...(byCall.get(task) ?? []), ...hunks].slice(0, MAX_HUNKS));
  }
}

export class ChatHunks {
  readonly #seen = new Map<string, SeenHunk>();
  readonly #verdicts = new Map<string, ReviewVerdict>();

  constructor(private readonly reviews: Reviews) {}

  /** Remembers what the user decided in this view. */
  note(hunks: readonly string[], verdict: ReviewVerdict): void {
    hunks.forEach((hunk) => this.#verdicts.set(hunk, verdict));
  }

  /** Forgets that, because the daemon refused it. */
  drop(hunks: readonly string[]): void {
    hunks.forEach((hunk) => this.#verdicts.delete(hunk));
  }

  /** The hunks of a session by the last call that made them. */
  byCall(view: SessionView): Map<string, RowHunk[]> {
    const { id: session, feedback } = view;
    const open = new Set<string>();
    for (const review of this.reviews.store.all({ session })) {
      this.#see(review, open);
    }
    const byCall = new Map<string, RowHunk[]>();
    for (const [id, seen] of this.#seen) {
      if (seen.session !== session) {
        continue;
      } else if (!open.has(id)) {
        seen.hunk = this.#decided(seen.hunk, feedback);
      }
      const hunks = byCall.get(seen.part) ?? [];
      byCall.set(seen.part, hunks.length < MAX_HUNKS ? [...hunks, seen.hunk] : hunks);
    }
    this.#forget(open);
    adoptStrays(byCall, view);
    return byCall;
  }

  #see(review: ReviewState, open: Set<string>): void {
    const add = (part: string | undefined, hunk: RowHunk) => {
      if (part !== undefined) {
        open.add(hunk.id);
        this.#seen.set(hunk.id, { session: review.session, part, hunk });
      }
    };
    if (review.file) {
      add(review.file.by.at(-1), fileHunk(review, review.file));
    }
    for (const hunk of sortedHunks(review)) {
      add(hunk.by.at(-1), lineHunk(review, hunk, this.reviews.lineOf(review, hunk)));
    }
  }

  #decided(hunk: RowHunk, feedback: readonly FeedbackInfo[]): RowHunk {
    if (hunk.state !== "undecided" && hunk.state !== "deciding" && hunk.state !== "decided") {
      return hunk;
    }
    const verdict = this.#verdicts.get(hunk.id);
    const told = feedback.findLast(({ path, line, kind }) => kind !== "commented" && path === hunk.path && (line === hunk.line || line === 0));
    const state = verdict
      ? verdict === "accept"
        ? "accepted"
        : "rejected"
      : told?.kind === "accepted" || told?.kind === "rejected"
        ? told.kind
        : "decided";
    return hunk.state === state ? hunk : { ...hunk, state };
  }

  #forget(open: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) {
      if (this.#seen.size <= MAX_DECIDED + open.size) {
        return;
      } else if (!open.has(id)) {
        this.#seen.delete(id);
        this.#verdicts.delete(id);
      }
    }
  }
}
