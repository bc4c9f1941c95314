// The hunks of a call: each with its lines, its state, and buttons to accept, reject, or go there.
//
// Keys on a hunk: A accepts, R rejects, O or Enter opens it; arrows go to the next one.

import type { RowHunk } from "../../wire/rows";
import { Icon, IconButton, LinkButton, TextButton } from "../buttons";
import { post } from "../connection";

const STATE_WORDS = { undecided: "undecided", deciding: "is being decided", accepted: "accepted", rejected: "rejected", decided: "decided" };
const STATE_ICONS = { undecided: "circle-large-outline", deciding: "loading", accepted: "check", rejected: "close", decided: "check" };

function decide(hunks: readonly RowHunk[], verdict: "accept" | "reject"): void {
  post({ kind: "decide", hunks: hunks.map((hunk) => hunk.id), verdict });
}

/** Puts the focus on the next or previous undecided hunk on the screen. */
function step(from: EventTarget | null, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(".hunk.undecided")];
  all[all.findIndex((one) => one === from) + by]?.focus();
}

function handleKey(event: KeyboardEvent, hunk: RowHunk): void {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const isOwn = event.target === event.currentTarget;
  const isOpen = hunk.state === "undecided";
  const key = event.key.toLowerCase();
  if (!isPlain || !isOwn) {
    return;
  } else if (key === "a" && isOpen) {
    decide([hunk], "accept");
  } else if (key === "r" && isOpen) {
    decide([hunk], "reject");
  } else if (key === "arrowdown" || key === "arrowup") {
    step(event.currentTarget, key === "arrowdown" ? 1 : -1);
  } else if ((key === "o" || key === "enter") && isOpen) {
    post({ kind: "openHunk", hunk: hunk.id });
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

function HunkLines({ hunk }: { hunk: RowHunk }) {
  return (
    <div class="diff" role="presentation">
      {hunk.old.map((line, at) => (
        <div key={`old ${at}`} class="diff-removed">
          -{line}
        </div>
      ))}
      {hunk.new.map((line, at) => (
        <div key={`new ${at}`} class="diff-added">
          +{line}
        </div>
      ))}
      {hunk.more > 0 && <div class="dim">… {hunk.more} more lines</div>}
    </div>
  );
}

function Hunk({ hunk }: { hunk: RowHunk }) {
  const isOpen = hunk.state === "undecided";
  const place = hunk.file ? hunk.path : `${hunk.path}:${hunk.line}`;
  return (
    <li
      class={`hunk ${hunk.state}`}
      tabIndex={isOpen ? 0 : -1}
      aria-label={`${place}, ${STATE_WORDS[hunk.state]}`}
      onKeyDown={(event) => handleKey(event, hunk)}
    >
      <div class="hunk-head">
        <Icon name={STATE_ICONS[hunk.state]} spins={hunk.state === "deciding"} />
        {isOpen ? (
          <LinkButton title="Go to the place (O)" run={() => post({ kind: "openHunk", hunk: hunk.id })}>
            {place}
          </LinkButton>
        ) : (
          <LinkButton title="Open the file" run={() => post({ kind: "openPlace", path: hunk.path, line: hunk.line })}>
            {place}
          </LinkButton>
        )}
        <span class="hunk-state">{hunk.file ?? STATE_WORDS[hunk.state]}</span>
        {isOpen && (
          <span class="hunk-actions">
            <IconButton icon="check" label={`Accept ${place}`} title="Accept (A)" run={() => decide([hunk], "accept")} />
            <IconButton icon="close" label={`Reject ${place}`} title="Reject (R)" run={() => decide([hunk], "reject")} />
          </span>
        )}
      </div>
      {(isOpen || hunk.state === "deciding") && !hunk.file && <HunkLines hunk={hunk} />}
      {isOpen &&
        hunk.problems.map((problem) => (
          <div key={problem} class="hunk-problem">
            {problem}
          </div>
        ))}
    </li>
  );
}

export function HunkList({ hunks }: { hunks: readonly RowHunk[] }) {
  const open = hunks.filter((hunk) => hunk.state === "undecided");
  return (
    <div class="hunks">
      {open.length > 1 && (
        <div class="hunks-all">
          <TextButton icon="check-all" label="Accept all" run={() => decide(open, "accept")} />
          <TextButton icon="close-all" label="Reject all" run={() => decide(open, "reject")} />
        </div>
      )}
      <ul aria-label="Hunks">
        {hunks.map((hunk) => (
          <Hunk key={hunk.id} hunk={hunk} />
        ))}
      </ul>
    </div>
  );
}
