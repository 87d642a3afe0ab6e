/** Marks on views whose source is newer than they are: a letter in the tab, and a line over the text that makes them anew. */

import { posix } from 'node:path';
import * as vscode from 'vscode';
import { KINDS, type Kind, kindOf, sourceOf } from './view';

export class OldViews implements vscode.CodeLensProvider, vscode.FileDecorationProvider, vscode.Disposable {
  private readonly lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lenses.event;
  private readonly decorations = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.decorations.event;
  private readonly parts: vscode.Disposable;

  constructor(private readonly isOld: (view: vscode.Uri) => boolean) {
    const schemes = Object.values(KINDS).map(({ scheme }) => ({ scheme }));
    this.parts = vscode.Disposable.from(
      this.lenses,
      this.decorations,
      vscode.languages.registerCodeLensProvider(schemes, this),
      vscode.window.registerFileDecorationProvider(this),
    );
  }

  /** These views are new, or their sources are. */
  changed(views: vscode.Uri[]): void {
    this.lenses.fire();
    this.decorations.fire(views);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const kind = kindOf(uri);
    if (!kind || !this.isOld(uri)) {
      return [];
    }
    const title = `$(warning) ${nameOf(uri)} was edited after this ${KINDS[kind].title} was made. Make it again`;
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command: COMMANDS[kind] })];
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const color = new vscode.ThemeColor('list.warningForeground');
    return kindOf(uri) && this.isOld(uri) ? { badge: '!', tooltip: `${nameOf(uri)} was edited after this was generated`, color } : undefined;
  }

  dispose(): void {
    this.parts.dispose();
  }
}

const COMMANDS: Record<Kind, string> = { sass: 'warplens.showSass', ptx: 'warplens.showPtx' };

function nameOf(view: vscode.Uri): string {
  return posix.basename(sourceOf(view).path);
}
