// A unified diff, line by line. Signs, not only colours, tell what was added and removed.

const KINDS: Record<string, string> = { "+": "diff-added", "-": "diff-removed", "@": "diff-place" };
/** How many lines are drawn; the rest is in the file. */
const MAX_LINES = 500;

/** What a line is: the names of a file stand in two lines before a place, and are no changes. */
function kindOf(lines: readonly string[], at: number): string {
  const isName = [at, at - 1].some((first) => lines[first]?.startsWith("--- ") && lines[first + 1]?.startsWith("+++ ") && lines[first + 2]?.startsWith("@@"));
  return isName ? "diff-place" : (KINDS[lines[at]?.[0] ?? ""] ?? "diff-same");
}

export function DiffText({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MAX_LINES);
  return (
    <pre class="diff" tabIndex={0} role="group" aria-label="Diff">
      {shown.map((line, at) => (
        <div key={at} class={kindOf(shown, at)}>
          {line === "" ? " " : line}
        </div>
      ))}
      {lines.length > shown.length && <div class="dim">… {lines.length - shown.length} more lines</div>}
    </pre>
  );
}
