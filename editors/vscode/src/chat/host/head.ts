// Everything of the chat but the rows: title, model, agent, usage, what runs, what goes with the next prompt.
//
// Contract: reads the state, changes nothing. Figures cover the loaded parts.

import type { CallInfo, ContextUseInfo } from "copydesk-protocol";
import { window, workspace } from "vscode";
import type { Desk } from "../../desk";
import { selectionPiece } from "../../sessions/context";
import { callName } from "../../sessions/partText";
import type { SessionView } from "../../sessions/view";
import { activePart, sessionName } from "../../sessions/view";
import type { Head } from "../wire/messages";
import { fieldsOf, metadataOf } from "./callSummary";
import type { Attachments } from "./attachments";
import type { ModelCatalogue } from "./modelCatalogue";
import { labelOf } from "./plainText";

interface Usage {
  tokens: number;
  cost: number;
  /** What the last request had. */
  context?: ContextUseInfo;
  /** The model of the last request. */
  model?: string;
}

function usageOf(view: SessionView): Usage {
  const used: Usage = { tokens: 0, cost: 0 };
  for (const { content } of view.parts) {
    if (content.kind === "stepFinish") {
      const { input, cacheRead, cacheWrite, output } = content.usage;
      used.tokens = input + cacheRead + cacheWrite + output;
      used.cost += content.cost ?? 0;
      used.context = content.context;
    } else if (content.kind === "stepStart") {
      used.model = content.model;
    } else if (content.kind === "call" && content.name === "task") {
      const { cost } = fieldsOf(content.output?.metadata);
      used.cost += typeof cost === "number" ? cost : 0;
    }
  }
  return used;
}

/** What fills the context, without what is not there. */
function sharesOf(context: ContextUseInfo | undefined): Head["shares"] {
  const shares = context && [
    { name: "system prompt", tokens: context.system },
    { name: "tools", tokens: context.tools },
    { name: "files", tokens: context.files },
    { name: "outputs", tokens: context.outputs },
    { name: "conversation", tokens: context.conversation },
    { name: "summary", tokens: context.summary },
  ];
  return (shares ?? []).filter((share) => share.tokens > 0);
}

/** The session's to-do list, unless all of it is done. */
function todoOf(view: SessionView): Head["todo"] {
  const isList = (call: CallInfo) => call.name === "todowrite" && call.output !== undefined && !call.output.isError;
  const last = view.parts.findLast(({ content }) => content.kind === "call" && isList(content));
  const { todos } = last?.content.kind === "call" ? metadataOf(last.content) : {};
  const list = Array.isArray(todos) ? todos.map(fieldsOf).filter((todo) => todo.status !== "cancelled") : [];
  const done = list.filter((todo) => todo.status === "completed").length;
  const now = list.find((todo) => todo.status === "in_progress");
  return done < list.length ? { done, all: list.length, now: labelOf(now?.content, 100) } : undefined;
}

/** What the running turn does, in a few words. */
function workOf(desk: Desk, view: SessionView): string {
  if (desk.asks.all().some((ask) => ask.session === view.id)) {
    return "Waits for you";
  }
  const last = activePart(view);
  if (last?.content.kind === "call" && last.state.kind === "running") {
    return labelOf(callName(last.content), 60);
  }
  return last?.content.kind === "retry" ? "Retrying" : last?.content.kind === "text" ? "Writing" : "Thinking";
}

function runningSince(view: SessionView): number | undefined {
  const { running } = view;
  return running === undefined ? undefined : (view.parts.find((part) => part.turn === running)?.created ?? Date.now());
}

/** Why nothing can be asked now. */
function problemOf(desk: Desk): string | undefined {
  if (!workspace.isTrusted) {
    return "Copydesk runs nothing in a folder that you do not trust.";
  }
  return desk.connection.state === "failed" ? labelOf(desk.connection.problem?.message ?? "The daemon could not be started.") : undefined;
}

function othersOf(desk: Desk, shown: SessionView | undefined): Head["others"] {
  // A subagent's work shows in the row of its task.
  const others = desk.sessions.all().filter((view) => view !== shown && (shown === undefined || view.session.parent !== shown.id));
  return others.slice(0, 20).flatMap((view) => {
    const isAsking = desk.asks.all().some((ask) => ask.session === view.id);
    const hunks = desk.review.reviews.store.count(view.id);
    const state = isAsking ? "waits for you" : view.running !== undefined ? "running" : hunks > 0 ? `${hunks} undecided` : undefined;
    return state === undefined ? [] : [{ session: view.id, title: labelOf(sessionName(view.session), 100), state }];
  });
}

export function headOf(desk: Desk, view: SessionView | undefined, catalogue: ModelCatalogue, attachments: Attachments): Head {
  const used: Usage = view ? usageOf(view) : { tokens: 0, cost: 0 };
  const model = view?.session.model ?? catalogue.default(view?.session.agent) ?? used.model;
  const info = catalogue.find(model);
  const editor = window.activeTextEditor;
  return {
    session: view?.id,
    title: view ? labelOf(sessionName(view.session), 200) : "New session",
    isTask: view?.session.parent !== undefined,
    problem: problemOf(desk),
    running: view && runningSince(view),
    work: view ? workOf(desk, view) : "",
    model: labelOf(info?.name ?? model, 100),
    isOffline: info?.offline ?? false,
    agent: labelOf(view?.session.agent, 60),
    review: view?.session.review ?? "rules",
    preset: view?.session.activePreset,
    tokens: used.tokens,
    share: info?.context && used.tokens > 0 ? Math.min(1, used.tokens / info.context) : undefined,
    shares: sharesOf(used.context),
    cost: used.cost,
    undecided: view ? desk.review.reviews.store.count(view.id) : 0,
    todo: view && todoOf(view),
    jobs: (view?.jobs ?? []).slice(0, 20).map((job) => ({ id: job.id, command: labelOf(job.command, 200), state: labelOf(job.state, 100) })),
    context: desk.prompts.context.pieces.slice(0, 50).map((piece) => labelOf(piece.label)),
    attachments: attachments.names,
    selection: editor ? labelOf(selectionPiece(editor)?.label) || undefined : undefined,
    hasEarlier: view?.earlier ?? false,
    others: othersOf(desk, view),
  };
}
