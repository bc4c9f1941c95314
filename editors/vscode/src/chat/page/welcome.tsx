// What an empty conversation says: who answers, what to try, and which keys there are.

import type { Head } from "../wire/messages";
import { Icon, LinkButton, TextButton } from "./buttons";
import { post } from "./connection";
import { offerText } from "./state";

const TRIES = [
  { icon: "search", text: "Explain how this project is built and where its main parts are." },
  { icon: "wrench", text: "Find the problems in the open file and fix them." },
  { icon: "beaker", text: "Write a test for the selected code." },
];

const KEYS: [string, string][] = [
  ["Enter", "send; while a turn runs, tell it at its next step"],
  ["Shift+Enter", "new line"],
  ["Ctrl+Enter", "while a turn runs, send after it"],
  ["Escape", "stop the turn"],
  ["@ and /", "files, symbols (#), problems, a terminal's selection, a diff; commands"],
  ["↑", "in the empty input: earlier prompts"],
  ["Ctrl+↑", "to the hunks and the conversation; Escape comes back"],
  ["Alt+1", "allow what is asked"],
];

/** Why nothing can be asked now, and what helps. */
export function ConnectionProblem({ head }: { head: Head }) {
  return head.problem === undefined ? null : (
    <div class="remark error problem" role="alert">
      <Icon name="error" />
      <div>
        <div class="remark-text">{head.problem}</div>
        <div class="remedies">
          <TextButton label="Restart" run={() => post({ kind: "command", command: "restart" })} />
          <TextButton label="Check the setup" run={() => post({ kind: "command", command: "doctor" })} />
        </div>
      </div>
    </div>
  );
}

function ModelLines({ head }: { head: Head }) {
  if (head.problem) {
    return <ConnectionProblem head={head} />;
  } else if (head.isOffline) {
    return (
      <p>
        The built-in offline model answers. It repairs errors, renames and finds, and little else.{" "}
        <LinkButton run={() => post({ kind: "command", command: "provider" })}>Set up a model…</LinkButton> It takes a key, or a server on this
        machine such as Ollama. Or <LinkButton run={() => post({ kind: "command", command: "practice" })}>practise on a small project</LinkButton> first.
      </p>
    );
  }
  return head.model === "" ? null : (
    <p>
      <strong>{head.model}</strong> answers. <LinkButton run={() => post({ kind: "command", command: "model" })}>Choose another…</LinkButton>
    </p>
  );
}

export function Welcome({ head }: { head: Head }) {
  return (
    <section class="welcome" aria-label="Welcome">
      <h2>What should the agent do?</h2>
      <ModelLines head={head} />
      <p>It edits in your buffers. You accept or reject each change, here or in the file; what you typed is never lost.</p>
      <div class="tries">
        {TRIES.map(({ icon, text }) => (
          <TextButton key={text} icon={icon} label={text} run={() => offerText(text)} />
        ))}
      </div>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
