// Numbers as words, for the host and the page.
//
// Contract: pure.

/** `120 ms`, `3.4 s`, `2 min 5 s` */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) {
    return `${Math.max(0, Math.round(milliseconds))} ms`;
  } else if (milliseconds < 60_000) {
    return `${(milliseconds / 1_000).toFixed(1)} s`;
  }
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor((milliseconds % 60_000) / 1_000)} s`;
}

/** The duration of something that runs: whole seconds, because it changes before the eyes. */
export function runningText(since: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `940`, `12.3k`, `180k` */
export function tokenText(count: number): string {
  return count < 1_000 ? String(count) : count < 99_950 ? `${(count / 1_000).toFixed(1)}k` : `${Math.round(count / 1_000)}k`;
}

/** `$0.42` */
export function costText(dollars: number): string {
  return dollars < 0.01 ? "<$0.01" : `$${dollars.toFixed(2)}`;
}

export function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
