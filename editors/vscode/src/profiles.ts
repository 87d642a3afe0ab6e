/** Commands that attach and detach profiles, which persist over restarts, and that choose the launch shown for a kernel. */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { heatOf } from './heat';
import { goToLine } from './hotSpots';
import { hottest } from './hottest';
import { isServed } from './languages';
import type { Server } from './server';

/** A launch of a kernel in a profile. */
interface Launch {
  kernel: string;
  profile: string;
  number: number;
  isChosen: boolean;
  title: string;
}

/** Response of `warplens/attachProfiles`: the names of the attached files, and one line for each file that could not be read. */
export interface Attached {
  profiles: string[];
  problems: string[];
  /** Number of measured kernels in the document that was viewed last; absent if that document has no code. */
  matched?: { uri: string; measured: number; kernels: number };
}

/** Key of the attached paths in the workspace state. An empty list means that the user has detached all profiles. */
const KEPT = 'warplens.profiles';

/** Files that are offered. Unrelated files with these extensions do no harm: the server reports those that it cannot read. */
const FOUND = '**/*.{ncu-rep,csv}';
const MOST_OFFERED = 200;
/** Largest number of kernels that a message names. */
const MOST_NAMED = 3;

export async function attachProfile(server: Server, state: vscode.Memento): Promise<void> {
  const paths = await choosePaths('Profiles to attach', [], true);
  if (!paths) {
    return;
  }
  await server.start();
  const attached = await server.ask<Attached>('warplens/attachProfiles', { paths });
  if (!attached) {
    return;
  }
  if (attached.profiles.length === 0) {
    // The server has reported why a file was not read.
    if (attached.problems.length === 0) {
      void vscode.window.showWarningMessage('warplens: no profile was attached.');
    }
    return;
  }
  await state.update(KEPT, paths);
  const isMeasured = await goToHottest(server);
  say(await outcome(server, attached), isMeasured || (attached.matched?.measured ?? 0) > 0);
}

export async function detachProfiles(server: Server, state: vscode.Memento): Promise<void> {
  await state.update(KEPT, []);
  await server.ask<Attached>('warplens/attachProfiles', { paths: [] });
  say('all profiles are detached.', true);
}

/** Attaches the stored profiles again whenever a server starts. */
export function keepProfiles(server: Server, state: vscode.Memento): vscode.Disposable {
  return server.onDidRun(() => {
    const paths = state.get<string[]>(KEPT);
    if (paths !== undefined) {
      void server.ask<Attached>('warplens/attachProfiles', { paths });
    }
  });
}

function say(text: string, isGood: boolean): void {
  void (isGood ? vscode.window.showInformationMessage : vscode.window.showWarningMessage)(`warplens: ${text}`);
}

/** Returns a sentence with the attached profiles, and how many kernels of the document in view they measured. */
async function outcome(server: Server, { profiles, matched }: Attached): Promise<string> {
  const names = profiles.join(', ');
  if (!matched) {
    return `attached ${names}.`;
  }
  const file = basename(uriConverters.protocol2Code(matched.uri).path);
  const kernels = `${matched.kernels} ${matched.kernels === 1 ? 'kernel' : 'kernels'} of ${file}`;
  if (matched.measured > 0) {
    return `${names}: ${matched.measured} of ${kernels} measured.`;
  }
  const launches = (await server.ask<{ launches: Launch[] }>('warplens/profiledLaunches', {}))?.launches ?? [];
  const measured = [...new Set(launches.map(({ kernel }) => kernel))];
  const shown = measured.slice(0, MOST_NAMED).join(', ') + (measured.length > MOST_NAMED ? ', …' : '');
  return `${names}: none of the ${kernels} was measured. The profile contains ${shown || 'no kernel'}.`;
}

/** Moves the cursor of the active editor to the line with the most samples. Returns false if no line was measured. */
async function goToHottest(server: Server): Promise<boolean> {
  const editor = vscode.window.activeTextEditor;
  const heated = editor && isServed(editor.document) ? await heatOf(server, editor) : undefined;
  const first = heated?.isMeasured === false ? undefined : hottest(heated?.lines ?? [], 1)[0];
  if (editor && first && first.line < editor.document.lineCount) {
    goToLine(editor, first);
    return true;
  }
  return false;
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
  const chosen = await vscode.window.showQuickPick(rows, { title: 'The launch to show', matchOnDescription: true });
  if (chosen) {
    const { kernel, number } = chosen.launch;
    await server.ask('warplens/profiledLaunches', { choose: { kernel, number } });
  }
}

/** Lets the user choose a profile among the attached ones and those of the workspace. Returns undefined if none is chosen. */
export async function choosePath(title: string, attached: string[]): Promise<string | undefined> {
  return (await choosePaths(title, attached, false))?.at(0);
}

/** Lets the user choose one or several profiles. Returns undefined if none is chosen. */
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
