// `copydesk.showLog`: shows the extension's log. The daemon's own log is in `copydesk log`.

import { log } from "../daemon/log";

export function showLog(): void {
  log().show(true);
}
