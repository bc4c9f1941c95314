// What an edit made wrong, who says so, and how sure that is.

import type { RowProblems } from "../../wire/rows";
import { Icon, LinkButton } from "../buttons";
import { post } from "../connection";

const ICONS = { error: "error", warning: "warning", information: "info", hint: "lightbulb" };

export function ProblemList({ problems }: { problems: RowProblems }) {
  return (
    <div class="problems">
      {problems.list.length > 0 && (
        <ul aria-label="Problems">
          {problems.list.map((one, at) => (
            <li key={at} class={one.severity}>
              <Icon name={ICONS[one.severity]} />
              <LinkButton title="Go to the place" run={() => post({ kind: "openPlace", path: one.path, line: one.line })}>
                {one.path}:{one.line}
              </LinkButton>
              <span class="hidden">{one.severity}</span>
              {one.code && <span class="dim">{one.code}</span>}
              <span>{one.message}</span>
              {one.isUnsure && <span class="dim">perhaps older</span>}
            </li>
          ))}
        </ul>
      )}
      {problems.more > 0 && <div class="dim">… and {problems.more} more</div>}
      {problems.sources.map((source) => (
        <div key={source} class="dim source">
          {source}
        </div>
      ))}
    </div>
  );
}
