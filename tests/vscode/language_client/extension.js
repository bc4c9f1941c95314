// Runs the language servers of a test, as the extensions of these servers do.
//
// Contract: the setting `copydeskTests.servers` has a program with its arguments for each language, or for several with commas between
// them. Without it, nothing runs.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

function activate(context) {
  const servers = vscode.workspace.getConfiguration().get("copydeskTests.servers") || {};
  for (const [names, [command, ...args]] of Object.entries(servers)) {
    // The library adds `--stdio` itself if it is told to use it, which not every server understands.
    const isNamed = args.includes("--stdio");
    const transport = isNamed ? TransportKind.stdio : undefined;
    const run = { command, args: args.filter((one) => one !== "--stdio"), transport };
    const documentSelector = names.split(",").map((language) => ({ scheme: "file", language }));
    const client = new LanguageClient(`test-${names}`, `Test server of ${names}`, run, { documentSelector });
    context.subscriptions.push(client);
    void client.start();
  }
}

module.exports = { activate };
