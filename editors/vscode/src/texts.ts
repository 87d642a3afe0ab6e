/** Virtual documents with texts of the server. Each text is kept for as long as its document is open. */

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

  /** Sets the text of a document. */
  set(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
  }
}
