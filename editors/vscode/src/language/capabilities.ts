// What the virtual servers announce.
//
// Contract: TypeScript's are what its extension provides in 1.106 and later. Nobody tells what other extensions provide, so everything is
// announced for them, and an empty answer without a known provider is a failure with the reason (`Providers`).

import type { ServerKind } from "./virtualServer";
import { TSSERVER_COMMAND } from "./typescript";

const COMMON = {
  textDocumentSync: 2,
  definitionProvider: true,
  typeDefinitionProvider: true,
  implementationProvider: true,
  referencesProvider: true,
  hoverProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  callHierarchyProvider: true,
  renameProvider: true,
  codeActionProvider: true,
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
};

export function capabilitiesOf(kind: ServerKind): object {
  if (kind === "typescript") {
    return { ...COMMON, executeCommandProvider: { commands: [TSSERVER_COMMAND] } };
  }
  return { ...COMMON, declarationProvider: true, typeHierarchyProvider: true };
}
