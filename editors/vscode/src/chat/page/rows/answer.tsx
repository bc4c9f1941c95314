// What the model writes.

import type { AnswerRow } from "../../wire/rows";
import { Markdown } from "../markdown/markdown";

export function AnswerView({ row }: { row: AnswerRow }) {
  return (
    <div class="answer">
      <Markdown text={row.text} isGrowing={row.isRunning} />
      {row.isCutOff && <div class="cut-off">The answer was cut off here.</div>}
    </div>
  );
}
