/** Texts of the server's that are shown as documents, under a scheme of their own, for as long as they are open. */

import * as vscode from 'vscode';

export class Texts implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly parts: vscode.Disposable;

  constructor(readonly scheme: string) {
    this.parts = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (uri) => this.texts.get(uri.toString()) ?? '',
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => uri.scheme === scheme && this.texts.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  /** Gives the document of a name its text. */
  set(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
  }
}
