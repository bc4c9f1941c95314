// Walks through the prompts that were sent.
//
// Contract: what was written before the first step back is there again after the last step forward. The walk begins only if the input
// is empty or shows an earlier prompt, so that Arrow Up in a text moves the cursor.

export class PromptHistory {
  /** How many steps back; 0 is what is being written. */
  #back = 0;
  #shown: string | undefined;

  reset(): void {
    this.#back = 0;
    this.#shown = undefined;
  }

  /** The prompt before the one that shows; undefined if there is none. */
  earlier(sent: readonly string[], text: string): string | undefined {
    if (text !== "" && text !== this.#shown) {
      return undefined;
    } else if (text === "") {
      this.reset();
    }
    return this.#step(sent, 1);
  }

  /** The prompt after it, at last the empty input; undefined if none shows. */
  later(sent: readonly string[]): string | undefined {
    return this.#back === 0 ? undefined : this.#step(sent, -1);
  }

  #step(sent: readonly string[], step: 1 | -1): string | undefined {
    const back = this.#back + step;
    if (back > sent.length) {
      return undefined;
    }
    this.#back = back;
    this.#shown = back === 0 ? "" : sent.at(-back);
    return this.#shown;
  }
}
