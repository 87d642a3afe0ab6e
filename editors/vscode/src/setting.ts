/** The extension's own settings, as commands change and show them. */

import * as vscode from 'vscode';

/** Where a setting stands now, so that a choice is not hidden by another place that goes before it. */
export function placeOfSetting(name: string, isOfFolder = false): vscode.ConfigurationTarget {
  const where = vscode.workspace.getConfiguration('warplens').inspect(name);
  const hasFolder = vscode.workspace.workspaceFolders !== undefined;
  const isInFolder = where?.workspaceValue !== undefined || (isOfFolder && where?.globalValue === undefined);
  return hasFolder && isInFolder ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
}

/** Writes a setting where it stands now; one that stands nowhere is the user's, or the folder's. */
export async function writeSetting(name: string, value: unknown, isOfFolder = false): Promise<void> {
  await vscode.workspace.getConfiguration('warplens').update(name, value, placeOfSetting(name, isOfFolder));
}

/** Whether the path of a program has to stand in the settings of the remote machine, on which it runs: those of the user are not read for it. */
export function isPathRemote(): boolean {
  return vscode.env.remoteName !== undefined;
}

/** Opens the settings in which the path of a program stands. */
export async function openPathSetting(name: string): Promise<void> {
  if (isPathRemote()) {
    await vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query: name });
  } else {
    await vscode.commands.executeCommand('workbench.action.openSettings', name);
  }
}
