// What the user writes in the input and has sent, kept for each session.
//
// Contract: it is a file in the extension's storage of the workspace, so it survives a reload of the window, as SessionMemory does.
// Writing is delayed and never fails a prompt. Lists are bounded.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { log } from "../../daemon/log";
import { problemOf } from "../../daemon/requests";
import { limits } from "../../timeLimits";
import { MAX_HISTORY, MAX_PROMPT } from "../wire/messages";
import { fieldsOf } from "./callSummary";

/** How many sessions' drafts are kept. */
const MAX_DRAFTS = 50;
/** Longer prompts are not remembered. */
const MAX_REMEMBERED = 20_000;

/** The draft of a session that does not exist yet. */
const NO_SESSION = "new";

export class Drafts {
  #drafts = new Map<string, string>();
  #history: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `folder` is missing in a window without a folder: then nothing is kept after a reload. */
  constructor(private readonly folder: string | undefined) {
    this.#read();
  }

  /** The prompts that were sent, the oldest first. */
  get history(): readonly string[] {
    return this.#history;
  }

  get(session: string | undefined): string {
    return this.#drafts.get(session ?? NO_SESSION) ?? "";
  }

  set(session: string | undefined, text: string): void {
    const key = session ?? NO_SESSION;
    this.#drafts.delete(key);
    if (text !== "") {
      this.#drafts.set(key, text);
    }
    this.#drafts = new Map([...this.#drafts].slice(-MAX_DRAFTS));
    this.#writeSoon();
  }

  /** Remembers a prompt that was sent. */
  addSent(text: string): void {
    if (text.length <= MAX_REMEMBERED) {
      this.#history = [...this.#history.filter((one) => one !== text), text].slice(-MAX_HISTORY);
      this.#writeSoon();
    }
  }

  dispose(): void {
    if (this.#timer) {
      this.#write();
    }
  }

  #read(): void {
    if (this.folder === undefined) {
      return;
    }
    try {
      const stored = fieldsOf(JSON.parse(readFileSync(join(this.folder, "drafts.json"), "utf8")));
      const texts = (list: unknown) => (Array.isArray(list) ? list.filter((one) => typeof one === "string" && one.length <= MAX_PROMPT) : []);
      this.#history = texts(stored.history).slice(-MAX_HISTORY);
      const drafts = Object.entries(fieldsOf(stored.drafts)).filter((entry): entry is [string, string] => texts([entry[1]]).length === 1);
      this.#drafts = new Map(drafts.slice(-MAX_DRAFTS));
    } catch {
      // There is none yet.
    }
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => this.#write(), limits.drafts);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.folder === undefined) {
      return;
    }
    try {
      mkdirSync(this.folder, { recursive: true });
      const file = join(this.folder, "drafts.json");
      // In one step, so that a crash leaves the old drafts.
      writeFileSync(`${file}.new`, JSON.stringify({ drafts: Object.fromEntries(this.#drafts), history: this.#history }), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log().warn(`the draft is not kept: ${problemOf(error)}`);
    }
  }
}
