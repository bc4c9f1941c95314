// Asks the user the agent's questions, one after another.
//
// Contract: leaving answers nothing, and the questions stay open; what was chosen so far is forgotten. If they are answered elsewhere
// meanwhile, the input closes. An empty list is no answer.

import type { QuestionInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { ThemeIcon } from "vscode";
import { oneLine } from "../sessions/partText";
import type { AskInputOptions, AskInputResult, TitleButton } from "./askInput";
import { pickForAsk, writeForAsk } from "./askInput";
import type { QuestionAsk } from "./asks";
import { plainLabel } from "./askText";
import type { AskViews } from "./askViews";

interface OptionItem extends QuickPickItem {
  /** The answer; missing for the user's own words. */
  answer?: string;
}

/** A longer question does not fit into the input's placeholder. */
const MAX_SHORT = 90;

function itemsOf({ options, custom }: QuestionInfo): OptionItem[] {
  const items = options.map(({ label, description }): OptionItem => ({ label: plainLabel(label), detail: description && plainLabel(description), answer: label }));
  return custom ? [...items, { label: "$(edit) Something else…" }] : items;
}

/** The answer to one question. */
async function answerOne(views: AskViews, ask: QuestionAsk, question: QuestionInfo, options: AskInputOptions, before: string[]): Promise<AskInputResult<string[]>> {
  const { asks } = views;
  const own = () => before.find((answer) => !question.options.some(({ label }) => label === answer));
  const writeOwn = () => writeForAsk(asks, ask.id, { ...options, placeholder: `${options.placeholder} (in your own words)`, value: own() });
  if (question.options.length === 0) {
    const written = await writeOwn();
    return typeof written === "object" ? { answer: [written.answer] } : written;
  }
  const items = itemsOf(question);
  const picked = question.multiple ? items.filter((item) => (item.answer === undefined ? own() !== undefined : before.includes(item.answer))) : [];
  for (;;) {
    const chosen = await pickForAsk(asks, ask.id, items, { ...options, isMany: question.multiple, picked });
    if (typeof chosen !== "object") {
      return chosen;
    }
    const answers = chosen.answer.map((item) => item.answer).filter((answer) => answer !== undefined);
    if (answers.length === chosen.answer.length) {
      return { answer: answers };
    }
    const written = await writeOwn();
    if (typeof written === "object") {
      return { answer: [...answers, written.answer] };
    } else if (written === undefined) {
      return undefined;
    }
  }
}

/** Asks what the agent should be told instead of an answer; without words nothing happens. */
export async function saySomethingElse(views: AskViews, ask: QuestionAsk): Promise<void> {
  const options = { title: views.titleOf(ask), placeholder: "What should the model be told instead? It continues with that." };
  const written = await writeForAsk(views.asks, ask.id, options);
  if (typeof written === "object") {
    views.asks.question(ask.id)?.reply({ reply: "rejected", reason: written.answer });
  }
}

/** Answers nothing; the turn stops. */
export function refuseQuestions(views: AskViews, ask: QuestionAsk): void {
  views.asks.question(ask.id)?.reply({ reply: "rejected" });
}

function buttonsOf(views: AskViews, ask: QuestionAsk): TitleButton[] {
  return [
    { iconPath: new ThemeIcon("go-to-file"), tooltip: "Show in full", run: () => void views.documents.show(ask, true) },
    { iconPath: new ThemeIcon("comment"), tooltip: "Say something else; the model continues", run: () => void saySomethingElse(views, ask) },
    { iconPath: new ThemeIcon("circle-slash"), tooltip: "No answer; the turn stops", run: () => refuseQuestions(views, ask) },
  ];
}

/** Asks all questions and sends the answers. */
export async function answerQuestions(views: AskViews, ask: QuestionAsk): Promise<void> {
  const { questions } = ask.params;
  const answers: string[][] = questions.map(() => []);
  if (questions.some(({ text }) => text.length > MAX_SHORT || text.includes("\n"))) {
    await views.documents.show(ask, true);
  }
  for (let at = 0; at < questions.length; ) {
    const question = questions[at];
    if (!question) {
      return;
    }
    const title = [oneLine(question.header, 40), views.originOf(ask)].filter(Boolean).join(", asked by ");
    const placeholder = `${oneLine(question.text)}${question.multiple ? " (choose one or more)" : ""}`;
    const options = { title, placeholder, step: { number: at + 1, total: questions.length }, buttons: buttonsOf(views, ask) };
    const result = await answerOne(views, ask, question, options, answers[at] ?? []);
    if (result === undefined) {
      return;
    } else if (result === "back") {
      at -= 1;
    } else {
      answers[at] = result.answer;
      at += 1;
    }
  }
  views.asks.question(ask.id)?.reply({ reply: "answered", answers });
}
