// Who asks: the session, if it is not the current one, and the subagent.

import type { PermissionAskParams } from "copydesk-protocol";
import { oneLine } from "../sessions/partText";
import type { Sessions } from "../sessions/sessions";
import type { SessionView } from "../sessions/view";
import { sessionName } from "../sessions/view";
import type { OpenAsk } from "./asks";

/** The subagent that works in a session of its own, by the call that started it. */
function agentOf(view: SessionView | undefined, session: string): string | undefined {
  for (const { content } of view?.parts ?? []) {
    const metadata = content.kind === "call" ? (content.output?.metadata ?? content.progress) : undefined;
    if (metadata && "session" in metadata && metadata.session === session && "agent" in metadata) {
      return String(metadata.agent);
    }
  }
  return undefined;
}

function subagentOf(params: PermissionAskParams, view: SessionView | undefined): string | undefined {
  const { metadata } = params;
  const session = metadata && "session" in metadata ? metadata.session : undefined;
  return typeof session === "string" ? (agentOf(view, session) ?? "") : undefined;
}

/** Who asks, for the user; undefined if it is the agent of the current session. */
export function originOf(ask: OpenAsk, sessions: Sessions): string | undefined {
  const view = sessions.get(ask.session);
  const agent = ask.kind === "question" ? ask.params.agent : subagentOf(ask.params, view);
  const isForeign = view !== undefined && view !== sessions.current;
  const names = [
    agent !== undefined && `subagent ${oneLine(agent, 60)}`.trim(),
    isForeign && `session “${oneLine(sessionName(view.session), 60)}”`,
  ].filter((name) => typeof name === "string");
  return names.length > 0 ? names.join(", ") : undefined;
}
