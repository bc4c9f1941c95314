// What an edit would make wrong, in lines.
//
// Contract: pure. An unknown state is told as unknown, never as fine. The metadata of a tool that is not built in may hold anything.

import type { DiagnosticsMetadata, PermissionAskMetadata, ProblemMetadata } from "copydesk-protocol";
import { oneLine } from "../sessions/partText";

/** How many problems are listed. */
const MAX_PROBLEMS = 20;

function problemLine({ path, line, severity, code, message }: ProblemMetadata): string {
  return `  ${oneLine(String(path))}:${line} ${severity}${code ? ` ${oneLine(String(code))}` : ""} ${oneLine(String(message))}`;
}

function sourceLine({ reports }: DiagnosticsMetadata, figures: string): string[] {
  const known = reports.filter(({ proof }) => proof === "proven" || proof === "likely");
  const unknown = reports.filter((report) => !known.includes(report));
  const names = known.map(({ source, proof }) => (source === "tree-sitter" ? "syntax only" : `${oneLine(source)}, ${proof}`));
  const whys = unknown.map(({ source, why }) => `${oneLine(source)}: not known${why ? `: ${oneLine(why)}` : ""}`);
  return [...(names.length > 0 ? [`${names.join("; ")}: ${figures}`] : []), ...whys];
}

/** The problems of a proposed change and how certain they are; empty if nothing was checked. */
export function problemLines(metadata: PermissionAskMetadata | undefined): string[] {
  const told = metadata && "diagnostics" in metadata ? metadata.diagnostics : undefined;
  if (!told || !Array.isArray(told.new) || !Array.isArray(told.unsure) || !Array.isArray(told.reports)) {
    return [];
  }
  const all = [...told.new, ...told.unsure];
  const count = told.new.length + (told.unlisted ?? 0);
  const figures =
    all.length === 0
      ? "nothing new if this is made"
      : told.new.length === 0
        ? `${told.unsure.length} found if this is made, which of them are new is not known`
        : `${count} new if this is made`;
  const more = all.length > MAX_PROBLEMS ? [`  … and ${all.length - MAX_PROBLEMS + (told.unlisted ?? 0)} more`] : [];
  return [...sourceLine(told, figures), ...all.slice(0, MAX_PROBLEMS).map(problemLine), ...more];
}
