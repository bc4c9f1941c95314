// A prompt of the user: its text as it was written, what went with it, and what can be done with it again.

import type { PromptRow } from "../../wire/rows";
import { Icon, IconButton } from "../buttons";
import { post } from "../connection";
import { cutLines } from "../markdown/blocks";

/** A longer prompt scrolls by itself. */
const LONG = 3_000;
const LONG_LINES = 20;

function timeText(time: number): string {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function PromptView({ row }: { row: PromptRow }) {
  const said = row.isQueued ? (row.steers ? "You, at the next step" : "You, after this turn") : row.steers ? "You, meanwhile" : "You";
  const isLong = row.text.length > LONG || row.text.split("\n", LONG_LINES).length === LONG_LINES;
  return (
    <div class={row.isQueued ? "prompt queued" : "prompt"}>
      <div class="prompt-head">
        <span class="prompt-who">{said}</span>
        {row.time > 0 && <time class="dim">{timeText(row.time)}</time>}
        <span class="row-actions">
          <IconButton icon="copy" label="Copy the prompt" run={() => post({ kind: "copy", text: row.text })} />
          {!row.isQueued && <IconButton icon="edit" label="Edit and send again…" run={() => post({ kind: "resend", row: row.id })} />}
        </span>
      </div>
      <div
        class={isLong ? "prompt-text long" : "prompt-text"}
        tabIndex={isLong ? 0 : undefined}
        role={isLong ? "group" : undefined}
        aria-label={isLong ? "Text" : undefined}
      >
        {cutLines(row.text)}
      </div>
      {row.context.length > 0 && (
        <ul class="chips" aria-label="Context">
          {row.context.map((name) => (
            <li key={name} class="chip">
              <Icon name="file" />
              {name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
