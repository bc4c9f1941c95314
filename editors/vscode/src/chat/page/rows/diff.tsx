// A unified diff, line by line. Signs, not only colours, tell what was added and removed.

const KINDS: Record<string, string> = { "+": "diff-added", "-": "diff-removed", "@": "diff-place" };
/** How many lines are drawn; the rest is in the file. */
const MAX_LINES = 500;

export function DiffText({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MAX_LINES);
  return (
    <pre class="diff" tabIndex={0} role="group" aria-label="Diff">
      {shown.map((line, at) => (
        <div key={at} class={KINDS[line[0] ?? ""] ?? "diff-same"}>
          {line === "" ? " " : line}
        </div>
      ))}
      {lines.length > shown.length && <div class="dim">… {lines.length - shown.length} more lines</div>}
    </pre>
  );
}
