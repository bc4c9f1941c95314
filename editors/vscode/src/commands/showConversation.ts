// `copydesk.showConversation`: shows the output channel of the current session.

import type { Desk } from "../desk";

export async function showConversation(desk: Desk): Promise<void> {
  await desk.sessions.ensure();
  desk.transcript.show();
}
