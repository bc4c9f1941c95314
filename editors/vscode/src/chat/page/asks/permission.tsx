// An ask for permission: what it is about, in full or with a way to it, and the replies.

import { useEffect, useRef, useState } from "preact/hooks";
import type { PermissionCard } from "../../wire/messages";
import { Icon, LinkButton, TextButton } from "../buttons";
import { post } from "../connection";
import { cutLines } from "../markdown/blocks";
import { CodeText } from "../markdown/codeBlock";
import { Markdown } from "../markdown/markdown";
import { DiffText } from "../rows/diff";
import { requestInputFocus } from "../state";

function Subject({ card }: { card: PermissionCard }) {
  if (card.language === "diff") {
    return <DiffText text={cutLines(card.subject)} />;
  } else if (card.language === "markdown") {
    return (
      <div class="subject" tabIndex={0} role="group" aria-label="What is asked">
        <Markdown text={card.subject} />
      </div>
    );
  }
  const text = cutLines(card.subject);
  return (
    <pre class="subject" tabIndex={0} role="group" aria-label="What is asked">
      {card.language === "shellscript" ? <CodeText text={text} language="bash" isGrowing={false} /> : text}
    </pre>
  );
}

interface ReplyOptions {
  number: number;
  label: string;
  title: string;
  isPrimary?: boolean;
  run: () => void;
}

function Reply({ number, label, title, isPrimary, run }: ReplyOptions) {
  return (
    <button
      type="button"
      class={isPrimary ? "button primary" : "button"}
      data-reply={number}
      title={`${title} (Alt+${number})`}
      aria-keyshortcuts={`Alt+${number}`}
      onClick={run}
    >
      {label}
    </button>
  );
}

/** Why the user rejects: the model reads it and continues. */
function Reason({ card, close }: { card: PermissionCard; close: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const send = () => {
    const reason = input.current?.value.trim();
    if (reason) {
      post({ kind: "permit", ask: card.id, reply: "reject", reason });
      requestInputFocus();
    }
  };
  const handleKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && !event.isComposing) {
      send();
    } else if (event.key === "Escape") {
      close();
    }
  };
  return (
    <div class="reason">
      <input ref={input} class="text-input" aria-label="Reason" placeholder="Why not? The model reads it and continues." onKeyDown={handleKey} />
      <TextButton label="Send" isPrimary run={send} />
      <TextButton label="Cancel" run={close} />
    </div>
  );
}

export function PermissionView({ card }: { card: PermissionCard }) {
  const [isWriting, setWriting] = useState(false);
  const reply = (reply: "once" | "session" | "project" | "reject") => {
    post({ kind: "permit", ask: card.id, reply });
    requestInputFocus();
  };
  return (
    <div class="ask" role="group" aria-label={card.title}>
      <div class="ask-title">
        <Icon name="bell-dot" />
        <strong>{card.title}</strong>
        {card.origin && <span class="dim">asked by {card.origin}</span>}
      </div>
      <Subject card={card} />
      {card.facts.map((fact) => (
        <div key={fact} class="dim fact">
          {fact}
        </div>
      ))}
      {isWriting ? (
        <Reason card={card} close={() => setWriting(false)} />
      ) : (
        <div class="replies">
          <Reply number={1} label={card.names.once} title="Only this time" isPrimary run={() => reply("once")} />
          {card.always !== undefined && (
            <Reply number={2} label="Always allow" title={`From now on in this session: ${card.always}`} run={() => reply("session")} />
          )}
          <Reply number={3} label={card.names.rejectWithReason} title="The model is told and continues" run={() => setWriting(true)} />
          <Reply number={4} label={card.names.reject} title="The turn stops" run={() => reply("reject")} />
        </div>
      )}
      {!isWriting && (
        <div class="replies rare">
          {card.always !== undefined && card.isForProject && <LinkButton run={() => reply("project")}>Always in this project</LinkButton>}
          {card.always !== undefined && (
            <LinkButton run={() => post({ kind: "editAlways", ask: card.id })}>Edit what is always allowed…</LinkButton>
          )}
          <LinkButton run={() => post({ kind: "showAsk", ask: card.id })}>
            {card.hunks > 0 ? `Review ${card.hunks} in the file` : "Show in full"}
          </LinkButton>
        </div>
      )}
      {card.always !== undefined && <div class="dim fact">Always would allow: {card.always}</div>}
    </div>
  );
}
