/** Marks on views that are older than their source: a badge on the tab, and a code lens that generates the view again. */

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

  /** Updates the marks of views that were generated again, or whose sources were edited. */
  changed(views: vscode.Uri[]): void {
    this.lenses.fire();
    this.decorations.fire(views);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const kind = kindOf(uri);
    if (!kind || !this.isOld(uri)) {
      return [];
    }
    const title = `$(warning) ${nameOf(uri)} was edited after this ${KINDS[kind].title} was generated. Generate it again`;
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
