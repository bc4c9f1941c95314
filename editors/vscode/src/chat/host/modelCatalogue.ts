// The models that can be used, as the daemon last listed them.
//
// Contract: asking never waits: what is not known yet is requested, and listeners are told when it came.

import type { ModelInfo } from "copydesk-protocol";
import type { Event } from "vscode";
import { EventEmitter } from "vscode";
import type { Connection } from "../../daemon/connection";
import { log } from "../../daemon/log";
import { problemOf } from "../../daemon/requests";

export class ModelCatalogue {
  #models = new Map<string, ModelInfo>();
  readonly #defaults = new Map<string, string | undefined>();
  readonly #asked = new Set<string>();
  readonly #changed = new EventEmitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(private readonly connection: Connection) {}

  find(id: string | undefined): ModelInfo | undefined {
    return id === undefined ? undefined : this.#models.get(id);
  }

  /** The default model of an agent. */
  default(agent = ""): string | undefined {
    if (!this.#asked.has(agent) && this.connection.state === "ready") {
      this.#asked.add(agent);
      this.#request(agent).catch((error) => log().debug(`the models were not listed: ${problemOf(error)}`));
    }
    return this.#defaults.get(agent);
  }

  /** Forgets what may have changed: after a new connection, or when another model was chosen. */
  forget(): void {
    this.#asked.clear();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #request(agent: string): Promise<void> {
    const result = await this.connection.request("copydesk/models", agent === "" ? {} : { agent });
    this.#models = new Map(result.models.map((model) => [model.id, model]));
    this.#defaults.set(agent, result.default);
    this.#changed.fire();
  }
}
