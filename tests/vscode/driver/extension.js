// The test's hand inside VS Code: runs the JavaScript of a test in the extension host, and reports events.
//
// Contract: it connects to the Unix socket COPYDESK_TEST_SOCKET. A line `{id, code, args}` is the body of an async function
// with `vscode`, `args` and `T` in scope; the answer is `{id, ok, result}`. A line `{event, value}` is an event: `ready` once, and
// whatever a test sends with `T.emit`. It changes nothing by itself.
"use strict";

const net = require("net");
const vscode = require("vscode");

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

/** How long a condition may take. Only a failing test waits this long. */
const PATIENCE_MS = 40_000;
/** Between two looks at a condition that no event announces. */
const LOOK_AGAIN_MS = 10;

function activate(context) {
  const path = process.env.COPYDESK_TEST_SOCKET;
  if (!path) return;
  const socket = net.connect(path);
  context.subscriptions.push({ dispose: () => socket.destroy() });
  const send = (message) => socket.write(JSON.stringify(message) + "\n");
  const T = helpers(context, send);
  const run = async ({ id, code, args }) => {
    try {
      const result = await new AsyncFunction("vscode", "args", "T", "require", code)(vscode, args, T, require);
      send({ id, ok: true, result: result === undefined ? null : result });
    } catch (error) {
      send({ id, ok: false, result: String((error && error.stack) || error) });
    }
  };
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) void run(JSON.parse(line));
  });
  // The test has ended; whoever runs VS Code ends it too.
  socket.on("error", () => {});
  socket.on("connect", () => T.emit("ready", { pid: process.pid }));
}

/** What tests share. */
function helpers(context, send) {
  const T = {
    /** Kept between calls, for what a test wants to find again. */
    state: {},
    emit: (event, value) => send({ event, value: value === undefined ? null : value }),

    /** Waits until the condition gives something truthy; returns that. */
    async until(condition, what) {
      const end = Date.now() + PATIENCE_MS;
      for (;;) {
        const value = await condition();
        if (value) return value;
        if (Date.now() > end) throw new Error(`waited in vain for ${what || condition}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    },

    uri(name) {
      if (name.includes(":")) return vscode.Uri.parse(name);
      const folder = vscode.workspace.workspaceFolders[0].uri;
      return name.startsWith("/") ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name);
    },

    /** The open document of this name, if there is one. */
    document(name) {
      const wanted = T.uri(name).toString();
      return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
    },

    /** Opens a file in a tab. */
    async open(name) {
      const document = await vscode.workspace.openTextDocument(T.uri(name));
      return vscode.window.showTextDocument(document, { preview: false });
    },

    /** The text of an open document with what a test compares: as it is, and what is unsaved. */
    look(name) {
      const document = T.document(name);
      if (!document) return null;
      return { text: document.getText(), dirty: document.isDirty, version: document.version };
    },

    /** The names of all tabs that show a file. */
    tabs() {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      return tabs.map((tab) => tab.label).sort();
    },

    /** Inserts text at an offset, as a user who types there would; tries again if the text moved meanwhile. */
    async insert(document, offset, text) {
      for (;;) {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, document.positionAt(offset(document.getText())), text);
        if (await vscode.workspace.applyEdit(edit)) return;
      }
    },

    /** Closes every tab, whatever is unsaved. */
    async closeAll() {
      for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
        if (tab.isDirty) {
          const uri = tab.input && tab.input.uri;
          if (uri && uri.scheme !== "untitled") {
            await vscode.window.showTextDocument(uri);
            await vscode.commands.executeCommand("workbench.action.files.revert");
          }
        }
      }
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    },
  };
  return T;
}

module.exports = { activate };
