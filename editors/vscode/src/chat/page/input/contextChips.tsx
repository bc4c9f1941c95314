// What goes with the next prompt: the selection, and what the user added.

import type { Head } from "../../wire/messages";
import { Icon, IconButton } from "../buttons";
import { post } from "../connection";

export function ContextChips({ head }: { head: Head }) {
  if (head.context.length === 0 && head.attachments.length === 0 && head.selection === undefined) {
    return null;
  }
  return (
    <ul class="chips" aria-label="Goes with the prompt">
      {head.selection !== undefined && (
        <li class="chip selection" title="The selection goes with the prompt">
          <Icon name="list-selection" />
          {head.selection}
        </li>
      )}
      {head.context.map((label) => (
        <li key={label} class="chip">
          <Icon name="file" />
          {label}
          <IconButton icon="close" label={`Remove ${label}`} run={() => post({ kind: "dropContext", label })} />
        </li>
      ))}
      {head.attachments.map((name) => (
        <li key={name} class="chip">
          <Icon name="file-media" />
          {name}
          <IconButton icon="close" label={`Remove ${name}`} run={() => post({ kind: "detach", name })} />
        </li>
      ))}
    </ul>
  );
}
