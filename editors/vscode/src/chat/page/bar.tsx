// The bar above the conversation: the session, what is undecided, the to-do list, background commands, other sessions that need the user.

import type { Head } from "../wire/messages";
import { plural } from "../words";
import { Icon, IconButton, LinkButton } from "./buttons";
import { post } from "./connection";

function Jobs({ head }: { head: Head }) {
  return head.jobs.length === 0 ? null : (
    <details class="jobs">
      <summary>{plural(head.jobs.length, "background command")}</summary>
      <ul>
        {head.jobs.map((job) => (
          <li key={job.id}>
            <code>{job.command}</code> <span class="dim">{job.state}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Facts({ head }: { head: Head }) {
  const { todo, undecided, others } = head;
  if (!todo && undecided === 0 && head.jobs.length === 0 && others.length === 0) {
    return null;
  }
  return (
    <div class="facts">
      {undecided > 0 && (
        <LinkButton title="Show the review" run={() => post({ kind: "command", command: "review.focus" })}>
          {plural(undecided, "undecided hunk")}
        </LinkButton>
      )}
      {todo && (
        <span>
          <Icon name="checklist" /> {todo.done} of {todo.all}
          {todo.now && <span class="dim"> {todo.now}</span>}
        </span>
      )}
      <Jobs head={head} />
      {others.map(({ session, title, state }) => (
        <LinkButton key={session} title={`Open “${title}”`} run={() => post({ kind: "openSession", session })}>
          {title}: {state}
        </LinkButton>
      ))}
    </div>
  );
}

export function Bar({ head }: { head: Head }) {
  return (
    <header class="bar">
      <div class="bar-line">
        {head.isTask && <IconButton icon="arrow-left" label="Back to the session that gave this task" run={() => post({ kind: "openParent" })} />}
        <h1 class="session-title" title={head.title}>
          {head.title}
        </h1>
        <IconButton icon="history" label="Sessions…" run={() => post({ kind: "command", command: "sessions" })} />
        <IconButton icon="add" label="New session" run={() => post({ kind: "command", command: "chat.new" })} />
      </div>
      <Facts head={head} />
    </header>
  );
}
