// Waits with an end: a provider of VS Code that hangs never answers, and cannot be cancelled.

/** What `within` gives if the time is up, or the wait was given up. */
export const late = Symbol("late");

/** The value of `work`, or `late`. The work itself goes on. */
export async function within<T>(work: Thenable<T>, milliseconds: number, end?: AbortSignal): Promise<T | typeof late> {
  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), Math.max(0, milliseconds));
  const giveUp = () => resolve(late);
  end?.addEventListener("abort", giveUp);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    end?.removeEventListener("abort", giveUp);
  }
}
