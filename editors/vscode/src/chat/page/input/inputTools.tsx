// The line below the input: agent, model, review, context gauge, and the button to send or stop.

import { Fragment } from "preact";
import type { Head } from "../../wire/messages";
import { costText, runningText, tokenText } from "../../words";
import { Icon, IconButton } from "../buttons";
import { post } from "../connection";
import { now } from "../state";

const REVIEWS = {
  before: { label: "Review first", title: "Nothing changes before you accept it. Click to change." },
  after: { label: "Review after", title: "Edits are made at once; you accept or reject them afterwards. Click to change." },
  rules: { label: "Review: rules", title: "The permission rules decide whether edits are reviewed before or after. Click to change." },
};

function Picker({ label, title, icon, command }: { label: string; title: string; icon: string; command: "model" | "agent" | "preset" | "review.timing" }) {
  return (
    <button type="button" class="picker" title={title} aria-label={`${title}: ${label}`} onClick={() => post({ kind: "command", command })}>
      <Icon name={icon} />
      <span>{label}</span>
    </button>
  );
}

/** How full the context window is, with tokens and cost. */
function Gauge({ head }: { head: Head }) {
  const { tokens, share, shares, cost } = head;
  if (tokens === 0) {
    return null;
  }
  const percent = share === undefined ? undefined : Math.round(share * 100);
  const text = [`${tokenText(tokens)} tokens`, percent !== undefined && `${percent} % of the context`, cost > 0 && costText(cost)]
    .filter(Boolean)
    .join(", ");
  const title = [text, ...shares.map((one) => `${one.name}: ${tokenText(one.tokens)}`)].join("\n");
  return (
    <span class="gauge" title={title}>
      {percent !== undefined && <meter min={0} max={100} high={80} value={percent} aria-label="Context used" />}
      <span class="hidden">{text}</span>
      <span aria-hidden="true">{percent === undefined ? tokenText(tokens) : `${percent}%`}</span>
      {cost > 0 && <span aria-hidden="true">{costText(cost)}</span>}
    </span>
  );
}

export function InputTools({ head, send, mention }: { head: Head; send: () => void; mention: () => void }) {
  const isRunning = head.running !== undefined;
  return (
    <Fragment>
      <div class="tools">
        <div class="pickers">
          <Picker icon="hubot" label={head.agent || "agent"} title="Agent" command="agent" />
          <Picker icon="sparkle" label={head.model || "model"} title="Model" command="model" />
          <Picker icon="git-compare" label={REVIEWS[head.review].label} title={REVIEWS[head.review].title} command="review.timing" />
          {head.preset && <Picker icon="shield" label={head.preset} title="What runs unasked" command="preset" />}
        </div>
        <span class="send">
          <IconButton icon="mention" label="Add context (@)" run={mention} />
          {isRunning && <IconButton icon="debug-stop" label="Stop the turn (Escape)" run={() => post({ kind: "stop" })} />}
          <IconButton
            icon="send"
            label={isRunning ? "Tell the running turn (Enter)" : "Send (Enter)"}
            run={send}
            isDisabled={head.problem !== undefined}
          />
        </span>
      </div>
      {(isRunning || head.tokens > 0) && (
        <div class="tools">
          {head.running !== undefined && (
            <span class="working">
              <Icon name="loading" spins />
              <span class="work">{head.work}</span>
              <span>{runningText(head.running, now.value)}</span>
            </span>
          )}
          <Gauge head={head} />
        </div>
      )}
    </Fragment>
  );
}
