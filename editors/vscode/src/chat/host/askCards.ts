// The open asks of a session as cards that are answered in the view.
//
// Contract: pure. A subject that is too long for a card says so, and the card's button shows all of it in a document.

import type { AskViews } from "../../waiting/askViews";
import type { OpenAsk } from "../../waiting/asks";
import { alwaysText, replyNames, subjectOf, whyLines } from "../../waiting/askText";
import { problemLines } from "../../waiting/askProblems";
import type { AskCard } from "../wire/messages";
import { fieldsOf } from "./callSummary";
import { cutAt, labelOf, plainText } from "./plainText";

/** The longest subject of a card. */
const MAX_SUBJECT = 20_000;

function subjectText(text: string): string {
  const plain = plainText(text);
  return plain.length <= MAX_SUBJECT
    ? plain
    : `${cutAt(plain, MAX_SUBJECT)}\n… ${plain.length - MAX_SUBJECT} more characters: show it in full before you answer.`;
}

export function cardOf(views: AskViews, ask: OpenAsk): AskCard {
  const origin = labelOf(views.originOf(ask)) || undefined;
  if (ask.kind === "question") {
    const questions = ask.params.questions.slice(0, 20).map(({ header, text, options, multiple, custom }) => ({
      header: labelOf(header, 80),
      text: subjectText(text),
      options: options.slice(0, 100).map((one) => ({ label: labelOf(one.label, 1_000), description: labelOf(one.description, 1_000) || undefined })),
      multiple,
      custom: custom || options.length === 0,
    }));
    return { kind: "questions", id: ask.id, origin, questions };
  }
  const { params } = ask;
  const { text, language } = subjectOf(params);
  const { workdir, description, sandboxed, sandboxNote } = fieldsOf(params.metadata);
  const facts = [
    typeof workdir === "string" && workdir !== "" && workdir !== "." && `In ${workdir}`,
    typeof description === "string" && description !== "" && `The model says: ${description}`,
    sandboxed === true && typeof sandboxNote === "string" && `In the sandbox: ${sandboxNote}`,
    ...whyLines(params),
    ...problemLines(params.metadata),
  ].filter((fact) => typeof fact === "string");
  return {
    kind: "permission",
    id: ask.id,
    title: labelOf(params.title),
    origin,
    subject: subjectText(text),
    language,
    facts: facts.slice(0, 30).map((fact) => labelOf(fact)),
    always: params.always.length > 0 ? labelOf(alwaysText(params), 1_000) : undefined,
    isForProject: params.projectAlways ?? false,
    names: replyNames(params),
    hunks: views.reviews.hunksOf(ask.id),
  };
}
