// The protocol's methods with their types, and the errors with which requests fail.
//
// Contract: every method name that the extension sends or handles has its types from protocol/protocol.ts; nothing is typed twice.

import type { NotificationsToClient, RequestsToClient, RequestsToDaemon } from "copydesk-protocol";

export type DaemonMethod = keyof RequestsToDaemon;
export type DaemonParams<M extends DaemonMethod> = RequestsToDaemon[M]["params"];
export type DaemonResult<M extends DaemonMethod> = RequestsToDaemon[M]["result"];

export type ClientMethod = keyof RequestsToClient;
export type ClientParams<M extends ClientMethod> = RequestsToClient[M]["params"];
export type ClientResult<M extends ClientMethod> = RequestsToClient[M]["result"];

export type NotificationMethod = keyof NotificationsToClient;
export type NotificationParams<M extends NotificationMethod> = NotificationsToClient[M]["params"];

/** Why a request failed. The message is for the user. */
export class DaemonError extends Error {
  /** `code` is one of the protocol's; missing if there is no connection. */
  constructor(
    message: string,
    readonly code?: number,
  ) {
    super(message);
  }
}

/** The first line of what went wrong, whatever was thrown. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
