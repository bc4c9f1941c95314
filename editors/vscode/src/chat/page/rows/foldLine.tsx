// The line of a row that unfolds: a button with its state, its summary and its duration.

import type { ComponentChildren } from "preact";
import { Icon } from "../buttons";
import { post } from "../connection";
import { now } from "../state";
import { durationText, runningText } from "../../words";

/** How long something took, or has taken until now. */
export function Duration({ since, took, isRunning }: { since: number; took?: number; isRunning: boolean }) {
  const text = took !== undefined ? durationText(took) : isRunning ? runningText(since, now.value) : "";
  return text === "" ? null : <span class="duration">{text}</span>;
}

interface FoldLineOptions {
  row: string;
  isOpen: boolean;
  canOpen: boolean;
  children: ComponentChildren;
}

export function FoldLine({ row, isOpen, canOpen, children }: FoldLineOptions) {
  if (!canOpen) {
    return <div class="fold-line plain">{children}</div>;
  }
  return (
    <button type="button" class="fold-line" aria-expanded={isOpen} onClick={() => post({ kind: "fold", row, isOpen: !isOpen })}>
      {children}
      <Icon name={isOpen ? "chevron-down" : "chevron-right"} />
    </button>
  );
}
