// The page's buttons and icons.
//
// Contract: every button has a name; an icon is decoration and is hidden from screen readers.

import type { ComponentChildren } from "preact";

export function Icon({ name, spins = false }: { name: string; spins?: boolean }) {
  return <span class={`codicon codicon-${name}${spins ? " codicon-modifier-spin" : ""}`} aria-hidden="true" />;
}

interface ButtonOptions {
  icon?: string;
  /** The name; also the tooltip of a button that shows only an icon. */
  label: string;
  /** Says more than the label. */
  title?: string;
  run: () => void;
  isPrimary?: boolean;
  isDisabled?: boolean;
  isPressed?: boolean;
}

/** A button that shows only an icon. */
export function IconButton({ icon = "circle", label, title, run, isDisabled, isPressed }: ButtonOptions) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={title ?? label} onClick={run} disabled={isDisabled} aria-pressed={isPressed}>
      <Icon name={icon} />
    </button>
  );
}

/** A button with words. */
export function TextButton({ icon, label, title, run, isPrimary, isDisabled }: ButtonOptions) {
  return (
    <button type="button" class={isPrimary ? "button primary" : "button"} title={title} onClick={run} disabled={isDisabled}>
      {icon && <Icon name={icon} />}
      {label}
    </button>
  );
}

/** Words that act like a link. */
export function LinkButton({ run, title, children }: { run: () => void; title?: string; children: ComponentChildren }) {
  return (
    <button type="button" class="link-button" title={title} onClick={run}>
      {children}
    </button>
  );
}
