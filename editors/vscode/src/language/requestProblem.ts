// Why a request to one of VS Code's servers gives no answer, with LSP's code.

import { errors } from "copydesk-protocol";

export class RequestProblem extends Error {
  constructor(
    message: string,
    readonly code: number = errors.requestFailed,
  ) {
    super(message);
  }
}

/** The text is another one by now: the daemon may ask again. */
export function contentModified(): RequestProblem {
  return new RequestProblem("the text has changed", errors.contentModified);
}
