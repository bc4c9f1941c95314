// The model's reasoning: folded to a line that says how long it took.

import type { ReasoningRow } from "../../wire/rows";
import { Icon } from "../buttons";
import { Markdown } from "../markdown/markdown";
import { Duration, FoldLine } from "./foldLine";

export function ReasoningView({ row }: { row: ReasoningRow }) {
  return (
    <div class="reasoning">
      <FoldLine row={row.id} isOpen={row.isOpen} canOpen>
        <Icon name={row.isRunning ? "loading" : "lightbulb"} spins={row.isRunning} />
        <span class="summary">{row.isRunning ? "Thinking" : "Thought for"}</span>
        <Duration since={row.since} took={row.took} isRunning={row.isRunning} />
      </FoldLine>
      {row.isOpen && (
        <div class="fold-body dim">
          <Markdown text={row.text} isGrowing={row.isRunning} />
        </div>
      )}
    </div>
  );
}
