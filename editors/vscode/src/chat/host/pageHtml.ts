// The document of a page: an empty body, one script, one style sheet, and a policy that allows nothing else.
//
// Contract: no text of a model is in it. The policy forbids remote content, inline scripts and styles, forms and frames; the script has a
// nonce.

import type { Webview } from "vscode";
import { Uri } from "vscode";

/** `place` says what surrounds the page: its background is that of a side bar or of an editor. */
export function pageHtml(webview: Webview, out: Uri, nonce: string, place: "side-bar" | "tab"): string {
  const file = (name: string) => webview.asWebviewUri(Uri.joinPath(out, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("chat.css")}">
<title>Copydesk</title>
</head>
<body class="in-${place}">
<div id="chat"></div>
<script nonce="${nonce}" src="${file("chat.js")}"></script>
</body>
</html>`;
}
