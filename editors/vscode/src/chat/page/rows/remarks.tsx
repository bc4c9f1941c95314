// Rows in between: notes, endings and errors with what to do about them; retries; the end of a turn.

import type { RemarkRow, RetryRow, RowRemedy, SummaryRow } from "../../wire/rows";
import { Icon, LinkButton, TextButton } from "../buttons";
import { post } from "../connection";
import { cutLines } from "../markdown/blocks";
import { now } from "../state";

const ICONS = { info: "info", warning: "warning", error: "error" };

const REMEDIES: Record<RowRemedy, string> = {
  continue: "Continue",
  model: "Choose another model",
  newSession: "New session",
  log: "Show the log",
};

export function RemarkView({ row }: { row: RemarkRow }) {
  return (
    <div class={`remark ${row.tone}`} role={row.tone === "error" ? "alert" : undefined}>
      <Icon name={ICONS[row.tone]} />
      <div>
        <div class="remark-text">{cutLines(row.text)}</div>
        {row.remedies.length > 0 && (
          <div class="remedies">
            {row.remedies.map((remedy) => (
              <TextButton key={remedy} label={REMEDIES[remedy]} run={() => post({ kind: "remedy", remedy })} />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

export function RetryView({ row }: { row: RetryRow }) {
  const seconds = Math.ceil((row.at - now.value) / 1_000);
  return (
    <div class="remark warning">
      <Icon name="sync" />
      <div>
        <div class="remark-text">{row.message}</div>
        <div class="dim">
          Retry {row.attempt}
          {seconds > 0 && !row.isOver ? ` in ${seconds} s` : ""}
        </div>
      </div>
    </div>
  );
}

export function SummaryView({ row }: { row: SummaryRow }) {
  return (
    <div class="turn-summary">
      <span>{row.text}</span>
      {row.canUndo && <LinkButton run={() => post({ kind: "command", command: "changes" })}>Changes</LinkButton>}
      {row.canUndo && <LinkButton run={() => post({ kind: "undoTurn", turn: row.turn })}>Undo</LinkButton>}
    </div>
  );
}
