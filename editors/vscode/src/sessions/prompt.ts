// Sends the user's prompts.
//
// Contract: a prompt goes to the current session, which is created if needed. A failure is thrown; the added context stays, and the next
// input begins with what the user typed.

import type { MediaContent } from "copydesk-protocol";
import type { Connection } from "../daemon/connection";
import type { ContextPiece, PromptContext } from "./context";
import { isSamePlace } from "./context";
import type { Sessions } from "./sessions";

export interface PromptOptions {
  /** Context besides the items that were added. */
  pieces?: ContextPiece[];
  /** Send it into the running turn instead of queueing it. */
  isSteering?: boolean;
  /** The id of an earlier prompt whose context and files go with this one, too. */
  contextOf?: string;
  /** Images and PDFs. */
  files?: readonly MediaContent[];
}

export interface SentPrompt {
  session: string;
  /** The id of the prompt's part. */
  prompt: string;
  /** It waits for the end of the running turn. */
  isQueued: boolean;
}

export class Prompts {
  /** What the user typed and could not be sent. */
  #unsent: string | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    readonly context: PromptContext,
  ) {}

  /** What an input begins with, once. */
  takeUnsent(): string | undefined {
    const unsent = this.#unsent;
    this.#unsent = undefined;
    return unsent;
  }

  /** Sends what the user typed into an input. */
  async sendTyped(text: string, options: PromptOptions = {}): Promise<void> {
    try {
      await this.send(text, options);
    } catch (error) {
      this.#unsent = text;
      throw error;
    }
  }

  async send(text: string, options: PromptOptions = {}): Promise<SentPrompt> {
    const added = this.context.pieces;
    const view = await this.sessions.ensure();
    const own = options.pieces ?? [];
    const pieces = [...own, ...added.filter((piece) => !own.some((one) => isSamePlace(one, piece)))];
    const { contextOf, files = [] } = options;
    const context = pieces.map((piece) => piece.item);
    const params = { session: view.id, text, context, ...(contextOf === undefined ? {} : { contextOf }), ...(files.length > 0 ? { files: [...files] } : {}) };
    let sent: SentPrompt;
    if (options.isSteering) {
      const { prompt } = await this.connection.request("copydesk/turn/steer", params);
      sent = { session: view.id, prompt, isQueued: false };
    } else {
      const { prompt, queued } = await this.connection.request("copydesk/turn/start", params);
      sent = { session: view.id, prompt, isQueued: queued };
    }
    this.context.remove(added);
    return sent;
  }

  /** Cancels the running turn of the current session; false if none runs. */
  async cancel(): Promise<boolean> {
    const view = this.sessions.current;
    if (!view || view.running === undefined) {
      return false;
    }
    await this.connection.request("copydesk/turn/cancel", { session: view.id });
    return true;
  }
}
