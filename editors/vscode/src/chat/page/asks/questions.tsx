// Questions of the agent: options to choose, or the user's own words; sent together.

import { useState } from "preact/hooks";
import type { QuestionsCard } from "../../wire/messages";
import { Icon, TextButton } from "../buttons";
import { post } from "../connection";
import { Markdown } from "../markdown/markdown";
import { requestInputFocus } from "../state";

type Question = QuestionsCard["questions"][number];

interface OwnAnswer {
  chosen: string[];
  own: string;
}

interface QuestionOptions {
  question: Question;
  name: string;
  answer: OwnAnswer;
  change: (answer: OwnAnswer) => void;
}

function QuestionView({ question, name, answer, change }: QuestionOptions) {
  const { multiple, options } = question;
  const choose = (label: string, isOn: boolean) => {
    const others = multiple ? answer.chosen.filter((one) => one !== label) : [];
    change({ chosen: isOn ? [...others, label] : others, own: multiple ? answer.own : "" });
  };
  return (
    <fieldset class="question">
      <legend>{question.header || "Question"}</legend>
      <Markdown text={question.text} />
      {options.map(({ label, description }) => (
        <label key={label} class="option">
          <input
            type={multiple ? "checkbox" : "radio"}
            name={name}
            checked={answer.chosen.includes(label)}
            onChange={(event) => choose(label, event.currentTarget.checked)}
          />
          <span>
            {label}
            {description && <span class="dim"> {description}</span>}
          </span>
        </label>
      ))}
      {question.custom && (
        <input
          class="text-input"
          aria-label={`Your own answer: ${question.header}`}
          placeholder={options.length > 0 ? "Something else…" : "Your answer"}
          value={answer.own}
          onInput={(event) => change({ chosen: multiple ? answer.chosen : [], own: event.currentTarget.value })}
        />
      )}
    </fieldset>
  );
}

export function QuestionsView({ card }: { card: QuestionsCard }) {
  const [answers, setAnswers] = useState<OwnAnswer[]>(() => card.questions.map(() => ({ chosen: [], own: "" })));
  const texts = answers.map(({ chosen, own }) => [...chosen, ...(own.trim() === "" ? [] : [own.trim()])]);
  const isComplete = texts.every((one, at) => one.length > 0 || card.questions[at]?.multiple);
  const send = () => {
    if (isComplete) {
      post({ kind: "answer", ask: card.id, answers: texts });
      requestInputFocus();
    }
  };
  const handleKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && !event.isComposing && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape") {
      requestInputFocus();
    }
  };
  return (
    <div class="ask" role="group" aria-label="Questions" onKeyDown={handleKey}>
      <div class="ask-title">
        <Icon name="question" />
        <strong>The agent asks</strong>
        {card.origin && <span class="dim">{card.origin}</span>}
      </div>
      {card.questions.map((question, at) => (
        <QuestionView
          key={at}
          question={question}
          name={`${card.id} ${at}`}
          answer={answers[at] ?? { chosen: [], own: "" }}
          change={(answer) => setAnswers(answers.map((one, other) => (other === at ? answer : one)))}
        />
      ))}
      <div class="replies">
        <button type="button" class="button primary" data-reply={1} title="Send the answers (Enter, Alt+1)" disabled={!isComplete} onClick={send}>
          Answer
        </button>
        <button
          type="button"
          class="button"
          data-reply={4}
          title="The turn stops (Alt+4)"
          onClick={() => (post({ kind: "refuse", ask: card.id }), requestInputFocus())}
        >
          No answer
        </button>
        <TextButton label="Show in full" run={() => post({ kind: "showAsk", ask: card.id })} />
      </div>
    </div>
  );
}
