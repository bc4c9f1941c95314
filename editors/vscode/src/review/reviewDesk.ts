// Everything of the review, made once: the state, what shows it, and what decides it.

import { Disposable, languages, type DocumentSelector, type Uri } from "vscode";
import type { Connection } from "../daemon/connection";
import type { OwnEdits } from "../edits/ownEdits";
import type { Sessions } from "../sessions/sessions";
import { actionKind, HunkActions } from "./codeActions";
import { ReviewComments } from "./comments";
import { updateContextKeys } from "./contextKeys";
import { Decider } from "./decide";
import { Decorations } from "./decorations";
import { HunkHover } from "./hover";
import { HunkLenses } from "./lenses";
import { HunkQuickDiff } from "./quickDiff";
import { ProposalTabs } from "./proposalTabs";
import { Reviews } from "./reviews";
import { ReviewTargets } from "./target";
import { ReviewTree } from "./tree";
import { VirtualTexts } from "./virtualTexts";

const DOCUMENTS: DocumentSelector = [{ scheme: "file" }, { scheme: "untitled" }, { scheme: "vscode-notebook-cell" }];

export class ReviewDesk implements Disposable {
  readonly reviews: Reviews;
  readonly decider: Decider;
  readonly targets: ReviewTargets;
  readonly comments: ReviewComments;
  readonly #disposables: Disposable[];

  constructor(connection: Connection, ownEdits: OwnEdits, sessions: Sessions, extensionUri: Uri) {
    this.reviews = new Reviews(connection, sessions, ownEdits);
    this.decider = new Decider(connection, this.reviews);
    const texts = new VirtualTexts(this.reviews);
    this.targets = new ReviewTargets(this.reviews, texts);
    this.comments = new ReviewComments(connection, sessions, this.reviews);
    const lenses = new HunkLenses(this.reviews);
    const actions = new HunkActions(this.reviews);
    this.#disposables = [
      this.reviews,
      texts,
      this.comments,
      lenses,
      new Decorations(this.reviews, extensionUri),
      new HunkQuickDiff(this.reviews, texts),
      new ReviewTree(this.reviews),
      updateContextKeys(this.reviews),
      new ProposalTabs(this.reviews, sessions),
      languages.registerCodeLensProvider(DOCUMENTS, lenses),
      languages.registerHoverProvider(DOCUMENTS, new HunkHover(this.reviews)),
      languages.registerCodeActionsProvider(DOCUMENTS, actions, { providedCodeActionKinds: [actionKind] }),
    ];
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }
}
