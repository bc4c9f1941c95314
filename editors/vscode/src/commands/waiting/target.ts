// The ask that a command of the tree *Waiting* is for.

import type { Desk } from "../../desk";
import type { OpenAsk } from "../../waiting/asks";

/** The id in a command's argument: an id, or a node of the tree. */
export function askId(argument: unknown): string | undefined {
  if (typeof argument === "string") {
    return argument;
  }
  const id = typeof argument === "object" && argument !== null && "ask" in argument ? argument.ask : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The open ask of a command's argument. Without an argument there is none: no ask is answered that the user did not point at. */
export function askOf(desk: Desk, argument: unknown): OpenAsk | undefined {
  const id = askId(argument);
  return id === undefined ? undefined : desk.asks.get(id);
}
