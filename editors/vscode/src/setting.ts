/** Functions that change and show the extension's settings, for its commands. */

import * as vscode from 'vscode';

/**
 * The configuration target to write a setting to: the workspace if the setting has a value there, so that this value does not
 * override the new one. A setting without a value is written to the user's settings, or to the workspace if `isOfFolder` is true.
 */
export function placeOfSetting(name: string, isOfFolder = false): vscode.ConfigurationTarget {
  const where = vscode.workspace.getConfiguration('warplens').inspect(name);
  const hasFolder = vscode.workspace.workspaceFolders !== undefined;
  const isInFolder = where?.workspaceValue !== undefined || (isOfFolder && where?.globalValue === undefined);
  return hasFolder && isInFolder ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
}

/** Writes a setting to the target that `placeOfSetting` returns. */
export async function writeSetting(name: string, value: unknown, isOfFolder = false): Promise<void> {
  await vscode.workspace.getConfiguration('warplens').update(name, value, placeOfSetting(name, isOfFolder));
}

/**
 * Whether paths of programs belong in the settings of the remote machine, on which the programs run. User settings do not apply
 * there.
 */
export function isPathRemote(): boolean {
  return vscode.env.remoteName !== undefined;
}

/** Opens the settings in which the path of a program is set. */
export async function openPathSetting(name: string): Promise<void> {
  if (isPathRemote()) {
    await vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query: name });
  } else {
    await vscode.commands.executeCommand('workbench.action.openSettings', name);
  }
}
