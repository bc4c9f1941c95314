// The text of a part in the conversation's output channel.
//
// Contract: pure. Calls take one line each, with the daemon's own title. What the model reads of a call is not shown, and neither are
// control characters, which could imitate other lines.

import type { CallInfo, CompactionInfo, PartInfo, PruningInfo, TurnEndInfo } from "copydesk-protocol";

/** How much of a call's error is shown. */
const MAX_ERROR = 300;

const RULE = "─".repeat(72);

/** One line without control characters. */
export function oneLine(text: string, most = 200): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** Why a turn ended, for the user; undefined if the model finished. */
export function endText(end: TurnEndInfo): string | undefined {
  switch (end.kind) {
    case "done":
      return undefined;
    case "cancelled":
      return "Stopped.";
    case "rejected":
      return "Stopped, because you rejected a call.";
    case "stepLimit":
      return `Stopped after ${end.steps} steps, the limit of one turn. Ask again to continue.`;
    case "failed":
      return `Failed: ${end.message}`;
    case "interrupted":
      return "Interrupted: the daemon ended during this turn.";
    default:
      return "Ended.";
  }
}

/** What a running call does, in a few words. */
export function callName(call: CallInfo): string {
  return oneLine(call.output?.title || call.name, 80);
}

/** A failed call. Its title is often the beginning of its error. */
function failureText(call: CallInfo, message: string): string {
  const error = oneLine(message, MAX_ERROR);
  const title = oneLine(call.output?.title ?? "").replace(/…$/, "").trimEnd();
  return `  ✗ ${error.startsWith(title) && title !== "" ? error : `${callName(call)}: ${error}`}\n`;
}

function callText(part: PartInfo, call: CallInfo): string {
  const { output } = call;
  if (part.state.kind === "interrupted") {
    return `  ○ ${callName(call)} (stopped)\n`;
  } else if (part.state.kind === "error") {
    return failureText(call, part.state.message);
  } else if (output?.isError) {
    return failureText(call, output.output);
  }
  return `  ✓ ${callName(call)}\n`;
}

/** A compaction with its summary. */
export function compactionText(part: PartInfo, content: CompactionInfo): string {
  if (!isSettled(part)) {
    return `Summing up the conversation, of about ${content.tokensBefore} tokens …`;
  }
  const author = content.model ?? "rule";
  const why = content.failure === undefined ? "" : ` (${content.failure})`;
  const sizes = `about ${content.tokensBefore} tokens are now ${content.tokensAfter}`;
  return `Summed up by ${author}: ${sizes}${why}. Nothing is removed here; the agent reads this instead:\n\n${content.summary}`;
}

/** Old outputs that the model does not read any more. */
export function pruningText(content: PruningInfo): string {
  const sizes = `about ${content.tokensBefore} tokens are now ${content.tokensAfter}`;
  return `Left out ${content.outputs} old outputs for the agent: ${sizes}. Nothing is removed here.`;
}

/** Whether a part will not change any more. */
export function isSettled(part: PartInfo): boolean {
  return part.state.kind !== "pending" && part.state.kind !== "running";
}

/** Whether the text of a part is shown while it grows. */
export function isStreamed(part: PartInfo): boolean {
  return part.content.kind === "text";
}

/** The text of a settled part; undefined if nothing of it is shown. */
export function partText(part: PartInfo): string | undefined {
  const { content } = part;
  switch (content.kind) {
    case "prompt": {
      const context = (content.context ?? []).map((one) => `  with ${oneLine(one)}\n`).join("");
      return `\n${RULE}\n${content.steers ? "You, meanwhile" : "You"}: ${content.text.trim()}\n${context}\n`;
    }
    case "text":
      return `${content.text.trimEnd()}\n\n`;
    case "call":
      return content.parent === undefined ? callText(part, content) : undefined;
    case "retry":
      return `  … ${oneLine(content.message, MAX_ERROR)} (retry ${content.attempt})\n`;
    case "compaction":
      return `  ${compactionText(part, content)}\n`;
    case "pruning":
      return `  ${pruningText(content)}\n`;
    case "turnEnd":
      return `${endText(content.end) ?? ""}\n`;
    default:
      return undefined;
  }
}
