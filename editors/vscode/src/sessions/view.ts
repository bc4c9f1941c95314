// A session as this window knows it, and how each event changes it.
//
// Contract: `applyEvent` is the only writer; it does no I/O. Unknown events change nothing.

import type { EventInfo, FeedbackInfo, JobInfo, PartInfo, ReviewChange, SessionInfo, SessionLoadResult, SessionPartsResult, TurnEndInfo } from "copydesk-protocol";

export interface SessionView {
  readonly id: string;
  session: SessionInfo;
  /** In order. */
  parts: PartInfo[];
  /** Whether the daemon has parts before these. */
  earlier: boolean;
  /** The number of the running turn. */
  running?: number;
  /** How the last turn ended, if it did since the daemon hosts the session. */
  ended?: TurnEndInfo;
  /** Decisions and comments that the model has not read yet. */
  feedback: FeedbackInfo[];
  jobs: JobInfo[];
  warnings: string[];
  /** The last event applied; -1 before the first load. */
  seq: number;
}

/** What changed in a view. Listeners read the view; they never change it. */
export type ViewChange =
  | { kind: "loaded" }
  | { kind: "earlier" }
  | { kind: "part"; part: PartInfo }
  | { kind: "delta"; part: PartInfo; text: string }
  | { kind: "void"; part: PartInfo }
  | { kind: "session" }
  | { kind: "turn" }
  | { kind: "jobs"; ended: JobInfo[] }
  | { kind: "warning"; message: string }
  | { kind: "review"; change: ReviewChange }
  | { kind: "gone" };

export function newView(id: string): SessionView {
  const session: SessionInfo = { id, folder: "", agent: "", created: 0, updated: 0 };
  return { id, session, parts: [], earlier: false, feedback: [], jobs: [], warnings: [], seq: -1 };
}

/** A session's title, or a name for one without. */
export function sessionName(session: SessionInfo): string {
  return session.title?.replace(/\p{Cc}+/gu, " ").trim() || "New session";
}

/** Puts a page of earlier parts before those that are known. */
export function applyEarlier(view: SessionView, { parts, earlier }: SessionPartsResult): void {
  const known = new Set(view.parts.map((part) => part.id));
  view.parts = [...parts.filter((part) => !known.has(part.id)), ...view.parts];
  view.earlier = earlier;
}

/** Replaces a view by the result of a load. */
export function applyLoad(view: SessionView, result: SessionLoadResult): void {
  view.session = result.session;
  view.parts = result.parts;
  view.earlier = result.earlier;
  view.running = result.running;
  view.ended = result.running === undefined ? (result.lastTurn?.end ?? view.ended) : undefined;
  view.feedback = result.feedback ?? [];
  view.jobs = result.jobs ?? [];
  view.warnings = result.warnings ?? [];
  view.seq = result.seq;
}

/** What the running turn works on: the call that runs, which other parts may follow, else the last part. */
export function activePart({ parts, running }: SessionView): PartInfo | undefined {
  const isCall = ({ content, state }: PartInfo) => content.kind === "call" && state.kind === "running";
  const found = parts.findLast((part) => part.turn !== running || isCall(part));
  return found && isCall(found) ? found : parts.at(-1);
}

function applyPart(view: SessionView, part: PartInfo): ViewChange | undefined {
  const at = view.parts.findLastIndex((one) => one.id === part.id);
  const first = view.parts[0];
  if (at >= 0) {
    view.parts[at] = part;
  } else if (view.earlier && first && part.created < first.created) {
    // It belongs to the parts that are not loaded.
    return undefined;
  } else {
    view.parts.push(part);
  }
  return { kind: "part", part };
}

function applyDelta(view: SessionView, id: string, text: string): ViewChange | undefined {
  const part = view.parts.findLast((one) => one.id === id);
  if (part?.content.kind === "call") {
    part.content.arguments += text;
  } else if (part?.content.kind === "text" || part?.content.kind === "reasoning" || part?.content.kind === "note") {
    part.content.text += text;
  } else {
    return undefined;
  }
  return { kind: "delta", part, text };
}

/** Applies an event; returns what changed. */
export function applyEvent(view: SessionView, event: EventInfo): ViewChange | undefined {
  switch (event.event) {
    case "session":
      view.session = event.session;
      return { kind: "session" };
    case "turnStarted":
      view.running = event.turn;
      view.ended = undefined;
      return { kind: "turn" };
    case "turnEnded":
      view.running = undefined;
      view.ended = event.end;
      return { kind: "turn" };
    case "part":
      return applyPart(view, event.part);
    case "delta":
      return applyDelta(view, event.part, event.text);
    case "progress": {
      const part = view.parts.findLast((one) => one.id === event.part);
      if (part?.content.kind !== "call") {
        return undefined;
      }
      part.content.progress = event.metadata;
      return { kind: "part", part };
    }
    case "void": {
      const at = view.parts.findLastIndex((one) => one.id === event.part);
      const [part] = at >= 0 ? view.parts.splice(at, 1) : [];
      return part && { kind: "void", part };
    }
    case "jobs":
      view.jobs = event.running;
      return { kind: "jobs", ended: event.ended };
    case "feedback":
      view.feedback = event.items;
      return { kind: "turn" };
    case "warning":
      if (view.warnings.includes(event.message)) {
        return undefined;
      }
      view.warnings.push(event.message);
      return { kind: "warning", message: event.message };
    case "reviewChanged":
      return { kind: "review", change: event };
    case "deleted":
      return { kind: "gone" };
    default:
      return undefined;
  }
}
