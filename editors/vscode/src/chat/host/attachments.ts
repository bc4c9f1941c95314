// Images and PDFs that were pasted or dropped, and files that were dropped from the explorer: they go with the next prompt.
//
// Contract: kept by the host, so that hiding the page loses none. Names are unique. A file outside the workspace is not added.

import type { MediaContent } from "copydesk-protocol";
import { Uri, workspace } from "vscode";
import { DaemonError } from "../../daemon/requests";
import type { PromptContext } from "../../sessions/context";
import { filePiece } from "../../sessions/context";
import { MAX_ATTACHMENTS } from "../wire/messages";
import { labelOf } from "./plainText";

export class Attachments {
  #all: MediaContent[] = [];

  constructor(private readonly changed: () => void) {}

  get all(): readonly MediaContent[] {
    return this.#all;
  }

  get names(): string[] {
    return this.#all.map(({ name = "" }) => name);
  }

  add({ name, mime, base64 }: { name: string; mime: string; base64: string }): void {
    if (this.#all.length >= MAX_ATTACHMENTS) {
      throw new DaemonError(`At most ${MAX_ATTACHMENTS} images go with a prompt.`);
    }
    const plain = labelOf(name, 100) || "image";
    const isTaken = (candidate: string) => this.names.includes(candidate);
    let unique = plain;
    for (let number = 2; isTaken(unique); number += 1) {
      unique = `${plain} (${number})`;
    }
    this.#all = [...this.#all, { name: unique, mime, base64 }];
    this.changed();
  }

  remove(name: string): void {
    this.#all = this.#all.filter((one) => one.name !== name);
    this.changed();
  }
}

/** Adds dropped files to the context of the next prompt. */
export function addFiles(context: PromptContext, uris: readonly string[]): void {
  const files = uris.map((uri) => Uri.parse(uri)).map((uri) => (uri.scheme === "vscode-remote" ? uri.with({ scheme: "file", authority: "" }) : uri));
  const own = files.filter((uri) => uri.scheme === "file" && workspace.getWorkspaceFolder(uri));
  own.forEach((uri) => context.add(filePiece(uri)));
  if (own.length < uris.length) {
    throw new DaemonError("Only files of this workspace can be added.");
  }
}
