// One row of the conversation, by its kind.

import { useMemo } from "preact/hooks";
import type { Row } from "../../wire/rows";
import { AnswerView } from "./answer";
import { CallView } from "./call";
import { PromptView } from "./prompt";
import { ReasoningView } from "./reasoning";
import { RemarkView, RetryView, SummaryView } from "./remarks";

function draw(row: Row) {
  switch (row.kind) {
    case "prompt":
      return <PromptView row={row} />;
    case "answer":
      return <AnswerView row={row} />;
    case "reasoning":
      return <ReasoningView row={row} />;
    case "call":
      return <CallView row={row} />;
    case "remark":
      return <RemarkView row={row} />;
    case "retry":
      return <RetryView row={row} />;
    case "summary":
      return <SummaryView row={row} />;
  }
}

/** The name of a row for screen readers. */
export function rowName(row: Row): string {
  switch (row.kind) {
    case "prompt":
      return row.isQueued ? "Your prompt, queued" : "Your prompt";
    case "answer":
      return "Answer";
    case "reasoning":
      return "Reasoning";
    case "call":
      return `${row.name}: ${row.summary}, ${row.state}`;
    case "remark":
      return row.tone === "error" ? "Error" : "Note";
    case "retry":
      return "Retry";
    case "summary":
      return "End of the turn";
  }
}

/** A row; it is drawn again only if it is another object. */
export function RowView({ row }: { row: Row }) {
  return useMemo(() => draw(row), [row]);
}
