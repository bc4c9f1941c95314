// `copydesk.review.submitComment`: the button of VS Code's comment input.

import type { CommentReply } from "vscode";
import type { Desk } from "../desk";

function isReply(argument: unknown): argument is CommentReply {
  return typeof argument === "object" && argument !== null && "thread" in argument && "text" in argument && typeof argument.text === "string";
}

export async function submitComment(desk: Desk, argument?: unknown): Promise<void> {
  if (isReply(argument)) {
    await desk.review.comments.submit(argument);
  }
}
