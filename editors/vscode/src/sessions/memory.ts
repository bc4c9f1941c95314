// Remembers the session that this workspace used last.
//
// It is a file in the extension's storage of the workspace, on the machine where the extension runs: in a browser, `workspaceState`
// would be that of one browser only.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";

export class SessionMemory {
  readonly #file: string | undefined;

  /** `folder` is missing in a window without a folder: then nothing is remembered. */
  constructor(private readonly folder: string | undefined) {
    this.#file = folder === undefined ? undefined : join(folder, "session");
  }

  get(): string | undefined {
    try {
      const id = this.#file === undefined ? "" : readFileSync(this.#file, "utf8").trim();
      return /^[\w-]{1,64}$/.test(id) ? id : undefined;
    } catch {
      return undefined;
    }
  }

  set(id: string | undefined): void {
    if (this.folder === undefined || this.#file === undefined) {
      return;
    }
    try {
      if (id === undefined) {
        rmSync(this.#file, { force: true });
      } else {
        mkdirSync(this.folder, { recursive: true });
        writeFileSync(this.#file, id);
      }
    } catch (error) {
      log().warn(`the session is not remembered: ${problemOf(error)}`);
    }
  }
}
