// A tool call: one line; below it what needs the eye (hunks, problems, a running command); unfolded, all of it.

import type { CallRow, RowDetail, TaskCall } from "../../wire/rows";
import { plural } from "../../words";
import { Icon, IconButton, LinkButton, TextButton } from "../buttons";
import { post } from "../connection";
import { cutLines } from "../markdown/blocks";
import { CodeText } from "../markdown/codeBlock";
import { Markdown } from "../markdown/markdown";
import { DiffText } from "./diff";
import { Duration, FoldLine } from "./foldLine";
import { HunkList } from "./hunks";
import { ProblemList } from "./problems";
import { TodoList } from "./todos";

const STATE_ICONS: Record<CallRow["state"], string> = {
  pending: "loading",
  running: "loading",
  waiting: "bell-dot",
  done: "check",
  failed: "error",
  stopped: "circle-slash",
};

const STATE_WORDS: Record<CallRow["state"], string> = {
  pending: "is written",
  running: "runs",
  waiting: "waits for you",
  done: "done",
  failed: "failed",
  stopped: "stopped",
};

/** The title of a change says by itself what was done: "Edited a.txt". */
const SENTENCE = /^[A-Z][a-z]+ed /;

function Detail({ detail }: { detail: RowDetail }) {
  const text = cutLines(detail.text);
  return (
    <div class="detail">
      {detail.title && <div class="detail-title">{detail.title}</div>}
      {detail.language === "markdown" ? (
        <div class="detail-text">
          <Markdown text={detail.text} />
        </div>
      ) : detail.language === "diff" ? (
        <DiffText text={text} />
      ) : (
        <pre class="detail-text" tabIndex={0} role="group" aria-label={detail.language === "sh" ? "Command" : "Output"}>
          {detail.language === "sh" ? <CodeText text={text} language="bash" isGrowing={false} /> : text}
        </pre>
      )}
    </div>
  );
}

function FileList({ row }: { row: CallRow }) {
  return (
    <ul class="files" aria-label="Changed files">
      {row.files.map((file) => (
        <li key={file.filepath}>
          <LinkButton title={`Open ${file.path}`} run={() => post({ kind: "openPlace", path: file.filepath })}>
            {file.path}
          </LinkButton>
          <span class="added">+{file.additions}</span> <span class="removed">−{file.deletions}</span>
        </li>
      ))}
    </ul>
  );
}

function StateIcon({ state }: { state: CallRow["state"] }) {
  return <Icon name={STATE_ICONS[state]} spins={state === "running" || state === "pending"} />;
}

/** What a call does, and its state. */
function CallLine({ call }: { call: TaskCall }) {
  return (
    <>
      <StateIcon state={call.state} />
      {!SENTENCE.test(call.summary) && <span class="call-name">{call.name}</span>}
      <span class="summary">{call.summary}</span>
      <span class="hidden">{STATE_WORDS[call.state]}</span>
    </>
  );
}

/** The subagent's last calls, while it works or when the row is unfolded. */
function TaskCalls({ calls, earlier }: Pick<NonNullable<CallRow["task"]>, "calls" | "earlier">) {
  return calls.length === 0 ? null : (
    <ul class="task-calls" aria-label="What the subagent does">
      {earlier > 0 && <li class="dim">{plural(earlier, "earlier call")}</li>}
      {calls.map((call) => (
        <li key={call.id} class={`call ${call.state}`}>
          <div class="call-head fold-line">
            <CallLine call={call} />
            <Duration since={call.since} took={call.took} isRunning={call.state === "running"} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Task({ row }: { row: CallRow }) {
  const { task } = row;
  return task ? (
    <>
      <div class="task">
        <Icon name="hubot" />
        <span>{task.agent}</span>
        {task.now && row.state === "running" && <span class="dim">{task.now}</span>}
        {task.session && (
          <TextButton
            label="Open"
            title="Show the subagent's conversation"
            run={() => task.session && post({ kind: "openSession", session: task.session })}
          />
        )}
      </div>
      <TaskCalls calls={task.calls} earlier={task.earlier} />
    </>
  ) : null;
}

export function CallView({ row }: { row: CallRow }) {
  const isRunning = row.state === "running" || row.state === "pending";
  return (
    <div class={`call ${row.state}${row.isNested ? " nested" : ""}`}>
      <div class="call-head">
        <FoldLine row={row.id} isOpen={row.isOpen} canOpen={row.canOpen}>
          <CallLine call={row} />
          {row.state === "waiting" && <span class="waiting-note">waits for you</span>}
          <Duration since={row.since} took={row.took} isRunning={isRunning} />
        </FoldLine>
        {isRunning && row.name === "bash" && (
          <IconButton icon="debug-stop" label="Stop this command" run={() => post({ kind: "stopCall", row: row.id })} />
        )}
        {row.canUndo && <IconButton icon="discard" label="Undo the edits of this call" run={() => post({ kind: "undoCall", row: row.id })} />}
      </div>
      {row.tail !== undefined && (
        <pre class="tail" tabIndex={0} role="group" aria-label="Output so far">
          {cutLines(row.tail)}
        </pre>
      )}
      <Task row={row} />
      {row.files.length > 0 && row.hunks.length === 0 && row.state !== "failed" && <FileList row={row} />}
      {row.hunks.length > 0 && <HunkList hunks={row.hunks} />}
      {row.problems && <ProblemList problems={row.problems} />}
      {row.todos.length > 0 && <TodoList todos={row.todos} />}
      {row.isOpen && (
        <div class="fold-body">
          {row.details.map((detail, at) => (
            <Detail key={at} detail={detail} />
          ))}
        </div>
      )}
    </div>
  );
}
