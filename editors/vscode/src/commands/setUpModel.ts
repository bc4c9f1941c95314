// `copydesk.provider`: sets up a provider of models, then chooses one of its models.
//
// Contract: a key goes from the input to the daemon and nowhere else. The context key `copydesk.hasModel` says that a model besides the
// built-in one can be used, as far as this command has seen.

import type { QuickPickItem } from "vscode";
import { commands, QuickPickItemKind, window, workspace } from "vscode";
import type { ProviderInfo } from "copydesk-protocol";
import type { Desk } from "../desk";
import { oneLine } from "../sessions/partText";
import { chooseModel } from "./chooseModel";
import { typeKey } from "./typeKey";

interface ProviderItem extends QuickPickItem {
  provider?: ProviderInfo;
}

function separator(label: string): ProviderItem {
  return { label, kind: QuickPickItemKind.Separator };
}

function providerItem(provider: ProviderInfo): ProviderItem {
  const { name, id, local, usable, key, missing, keyPage } = provider;
  const state = local ? "answers on this machine" : key === undefined ? "ready" : `key from ${key}`;
  const need = keyPage === undefined ? (missing ?? "") : `needs a key: ${keyPage}`;
  return { provider, label: oneLine(name), description: oneLine(id), detail: oneLine(usable ? state : need, 200) };
}

async function requestProviders(desk: Desk): Promise<ProviderInfo[]> {
  const { providers } = await desk.connection.request("copydesk/provider/list", {});
  void commands.executeCommand("setContext", "copydesk.hasModel", providers.some((one) => one.usable));
  return providers;
}

async function listProviders(desk: Desk): Promise<ProviderItem[]> {
  const providers = await requestProviders(desk);
  const [usable, others] = [providers.filter((one) => one.usable), providers.filter((one) => !one.usable)];
  const hasLocal = usable.some((one) => one.local);
  const search: ProviderItem = { label: "$(refresh) Look again for servers on this machine", detail: "Ollama, LM Studio, llama.cpp and others. Start one first." };
  return [
    ...(usable.length > 0 ? [separator("ready"), ...usable.map(providerItem)] : []),
    ...(hasLocal ? [] : [separator("on this machine"), search]),
    ...(others.length > 0 ? [separator("not set up"), ...others.map(providerItem)] : []),
  ];
}

async function chooseProvider(desk: Desk): Promise<ProviderInfo | undefined> {
  for (;;) {
    const chosen = await window.showQuickPick(listProviders(desk), { title: "Set up a model: whose?", matchOnDescription: true });
    if (!chosen || chosen.provider) {
      return chosen?.provider;
    }
  }
}

/** Whether another key is to be typed for a provider that can be used. */
async function replacesKey({ name }: ProviderInfo): Promise<boolean | undefined> {
  const [choose, replace] = ["Choose a model", "Replace the key"];
  const chosen = await window.showQuickPick([choose, replace], { title: oneLine(name) });
  return chosen === undefined ? undefined : chosen === replace;
}

/** Whether the provider can be used then. */
async function storeKey(desk: Desk, provider: ProviderInfo): Promise<boolean> {
  const key = await typeKey(provider);
  if (key === undefined) {
    return false;
  }
  const { overriddenBy } = await desk.connection.request("copydesk/provider/setKey", { provider: provider.id, key });
  const now = (await requestProviders(desk)).find((one) => one.id === provider.id);
  const stored = `The key for ${oneLine(provider.name)} is stored`;
  if (overriddenBy !== undefined) {
    void window.showWarningMessage(`${stored}, but the one from ${oneLine(overriddenBy)} takes precedence.`);
  } else if (now?.usable) {
    void window.showInformationMessage(`${stored}.`);
  } else {
    void window.showWarningMessage(`${stored}, but something else is missing. ${oneLine(now?.missing ?? "", 400)}`);
  }
  return now?.usable === true;
}

export async function setUpModel(desk: Desk): Promise<void> {
  const provider = await chooseProvider(desk);
  if (!provider) {
    return;
  } else if (provider.local && !provider.usable) {
    void window.showWarningMessage(oneLine(provider.missing ?? "", 400));
    return;
  }
  const needsKey = provider.usable ? provider.key !== undefined && (await replacesKey(provider)) : true;
  if (needsKey === undefined || (needsKey && !(await storeKey(desk, provider)))) {
    return;
  }
  // A model is chosen for a session, and a session needs a folder.
  if (desk.sessions.current || workspace.workspaceFolders?.length) {
    await chooseModel(desk, provider.id);
  }
}
