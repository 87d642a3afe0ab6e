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

/** What `warplens/compareProfiles` answers. */
interface Compared {
  /** Whole paths of the attached files. */
  files: string[];
  title: string | null;
  text: string | null;
  reason: string | null;
}

/** The name of a document of this scheme is its title; its text is what changed between two profiles, as Markdown. */
const SCHEME = 'warplens-profiles';

/** "Compare Two Profiles": what changed from one run to another, as a text beside the code. */
export class ProfileComparison implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly parts: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.parts = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (uri) => this.texts.get(uri.toString()) ?? '',
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => uri.scheme === SCHEME && this.texts.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  async show(): Promise<void> {
    await this.server.start();
    const attached = (await this.server.ask<Compared>('warplens/compareProfiles', {}))?.files ?? [];
    const before = await choosePath('The profile before the change', attached);
    const after = before && (await choosePath('The profile after it', attached));
    if (!before || !after) {
      return;
    }
    const answer = await this.server.ask<Compared>('warplens/compareProfiles', { before, after });
    if (!answer?.text) {
      void vscode.window.showWarningMessage(`warplens: ${answer?.reason ?? 'nothing to compare'}.`);
      return;
    }
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${answer.title ?? 'profiles'}.md` });
    this.texts.set(uri.toString(), answer.text);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
  }
}

/** A file that the user means, among those that are attached and those of the workspace; undefined where there is none. */
async function choosePath(title: string, attached: string[]): Promise<string | undefined> {
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
