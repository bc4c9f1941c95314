// The problems of an edit: which, who says so, and how sure that is.
//
// Contract: pure; never throws, whatever the metadata holds. An unknown state is told as unknown, never as fine.

import type { RowProblems } from "../wire/rows";
import { fieldsOf, type Fields } from "./callSummary";
import { countOf, labelOf } from "./plainText";

/** How many problems are listed. */
const MAX_PROBLEMS = 20;

type Problem = RowProblems["list"][number];

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

function problemsIn(list: unknown, isUnsure: boolean): Problem[] {
  const found = Array.isArray(list) ? list.map(fieldsOf) : [];
  return found
    .filter((one) => typeof one.path === "string")
    .map((one) => ({
      path: labelOf(one.path),
      line: Math.max(1, countOf(one.line)),
      severity: SEVERITIES.find((severity) => severity === one.severity) ?? "error",
      code: labelOf(one.code, 60) || undefined,
      source: labelOf(one.source, 60),
      message: labelOf(one.message),
      isUnsure,
    }));
}

function figures(told: Fields, fresh: number, unsure: number): string {
  const words: string[] = [];
  if (fresh === 0 && unsure === 0) {
    words.push("nothing new");
  } else if (fresh === 0) {
    words.push(`${unsure} found, which of them are new is not known`);
  } else {
    words.push(`${fresh + countOf(told.unlisted)} new`, ...(unsure > 0 ? [`${unsure} perhaps new`] : []));
  }
  const [remaining, fixed] = [countOf(told.remaining), countOf(told.fixed)];
  return [...words, ...(remaining > 0 ? [`${remaining} older`] : []), ...(fixed > 0 ? [`${fixed} fixed`] : [])].join(", ");
}

/** Who was asked: one line for those that know, one for each that does not. */
function sourceLines(told: Fields, said: string): string[] {
  const reports = Array.isArray(told.reports) ? told.reports.map(fieldsOf) : [];
  const isKnown = (one: Fields) => one.proof === "proven" || one.proof === "likely";
  // "Nothing new" means less if only the syntax was checked.
  const name = (one: Fields) => (one.source === "tree-sitter" ? "syntax only" : `${labelOf(one.source, 60)}, ${String(one.proof)}`);
  const names = new Set(reports.filter(isKnown).map(name));
  const unknown = reports.filter((one) => !isKnown(one)).slice(0, 10);
  const whys = unknown.map((one) => `${labelOf(one.source, 60)}: not known${one.why ? `: ${labelOf(one.why)}` : ""}`);
  return [...(names.size > 0 ? [`${[...names].join("; ")}: ${said}`] : []), ...new Set(whys)];
}

/** What the metadata of a call or an ask tells; undefined if nothing was checked. */
export function problemsOf(metadata: Fields): RowProblems | undefined {
  const told = fieldsOf(metadata.diagnostics);
  if (!Array.isArray(told.reports)) {
    return undefined;
  }
  const [fresh, unsure] = [problemsIn(told.new, false), problemsIn(told.unsure, true)];
  const all = [...fresh, ...unsure];
  const list = all.slice(0, MAX_PROBLEMS);
  return { list, more: all.length - list.length + countOf(told.unlisted), sources: sourceLines(told, figures(told, fresh.length, unsure.length)) };
}
