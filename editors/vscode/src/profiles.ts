/** Profiles: attached and detached, the launch of each kernel that is shown, and two of them compared. */

import * as vscode from 'vscode';
import type { Server } from './server';

/** A launch that a profile has of a kernel. */
interface Launch {
  kernel: string;
  profile: string;
  number: number;
  isChosen: boolean;
  title: string;
}

/** The names of the attached files, and a line for each file that could not be read. */
export interface Attached {
  profiles: string[];
  problems: string[];
}

/** Files that are offered: those of others with these endings are no harm, as the server says what it can't read. */
const FOUND = '**/*.{ncu-rep,csv}';
const MOST_OFFERED = 200;

export async function attachProfile(server: Server): Promise<void> {
  const paths = await choosePaths('The profiles to attach', [], true);
  if (paths) {
    await server.start();
    const attached = await server.ask<Attached>('warplens/attachProfiles', { paths });
    if (attached && attached.profiles.length === 0 && attached.problems.length === 0) {
      void vscode.window.showWarningMessage('warplens: no profile was attached.');
    }
  }
}

export async function detachProfiles(server: Server): Promise<void> {
  await server.ask<Attached>('warplens/attachProfiles', { paths: [] });
}

/** Lets the user choose which launch of a kernel is shown. */
export async function chooseLaunch(server: Server): Promise<void> {
  const answer = await server.ask<{ launches: Launch[] }>('warplens/profiledLaunches', {});
  if (!answer || answer.launches.length === 0) {
    void vscode.window.showInformationMessage('warplens: no profile is attached.');
    return;
  }
  const rows = answer.launches.map((launch) => ({
    label: `${launch.isChosen ? '$(check) ' : ''}${launch.title}`,
    description: `launch ${launch.number + 1} in ${launch.profile}`,
    launch,
  }));
  const chosen = await vscode.window.showQuickPick(rows, { title: 'The launch that is shown', matchOnDescription: true });
  if (chosen) {
    const { kernel, number } = chosen.launch;
    await server.ask('warplens/profiledLaunches', { choose: { kernel, number } });
  }
}

/** A file that the user means, among those that are attached and those of the workspace; undefined where there is none. */
export async function choosePath(title: string, attached: string[]): Promise<string | undefined> {
  return (await choosePaths(title, attached, false))?.at(0);
}

/** The files that the user means; undefined where there are none. */
async function choosePaths(title: string, attached: string[], canSelectMany: boolean): Promise<string[] | undefined> {
  const found = await vscode.workspace.findFiles(FOUND, '**/node_modules/**', MOST_OFFERED);
  const others = attached.filter((path) => found.every((uri) => uri.fsPath !== path)).map((path) => vscode.Uri.file(path));
  const browse = { label: '$(folder-opened) Browse…', description: '', uri: undefined as vscode.Uri | undefined };
  const rows = [...found, ...others].map((uri) => ({
    label: vscode.workspace.asRelativePath(uri),
    description: attached.includes(uri.fsPath) ? 'attached' : '',
    uri: uri as vscode.Uri | undefined,
  }));
  rows.sort((one, other) => one.label.localeCompare(other.label));
  const chosen = await vscode.window.showQuickPick([...rows, browse], { title });
  if (!chosen) {
    return undefined;
  }
  if (chosen.uri) {
    return [chosen.uri.fsPath];
  }
  const files = await vscode.window.showOpenDialog({
    title,
    canSelectMany,
    filters: { Profiles: ['ncu-rep', 'csv', 'txt', 'log'], 'All files': ['*'] },
  });
  return files?.map((uri) => uri.fsPath);
}
