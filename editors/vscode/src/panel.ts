/** The panel "warplens: kernel": figures and drawings of the kernel at the cursor. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { isOurs } from './languages';
import type { Server } from './server';

/** The document and the position whose kernel the panel shows. */
interface Place {
  uri: vscode.Uri;
  position: vscode.Position;
}

/** Delay after the last move or edit before the panel is updated, in ms. */
const REST_MS = 150;

export class KernelPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private place: Place | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The last message to the page as JSON, so that none is sent twice. */
  private shown = '';
  private asked = 0;
  private comparison: vscode.CancellationTokenSource | undefined;
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === this.place?.uri.toString()) {
          this.updateSoon();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('warplens')) {
          this.updateSoon();
        }
      }),
      server.onDidChange(() => this.updateSoon()),
    );
  }

  show(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
    } else {
      this.create();
    }
    this.follow(vscode.window.activeTextEditor);
  }

  /** Moves the cursor to a line, counted from 0, and shows its kernel. Code lenses run this. */
  async showAt(name: string, line: number): Promise<void> {
    const uri = uriConverters.protocol2Code(name);
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    const position = new vscode.Position(line, 0);
    const selection = new vscode.Range(position, position);
    await vscode.window.showTextDocument(uri, { viewColumn: editor?.viewColumn ?? vscode.ViewColumn.Active, selection });
    this.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
    this.panel?.dispose();
  }

  private create(): void {
    const media = vscode.Uri.joinPath(this.context.extensionUri, 'media');
    const panel = vscode.window.createWebviewPanel(
      'warplens.kernel',
      'warplens: kernel',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [media] },
    );
    panel.webview.html = page(panel.webview, media);
    panel.webview.onDidReceiveMessage((message: unknown) => {
      // The page sends this once it is loaded, and again each time after it was hidden.
      if (message === 'ready') {
        this.shown = '';
        this.updateSoon();
      } else if (message === 'compare') {
        void this.compare();
      } else if (isChoice(message)) {
        this.choose(message.line);
      }
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = '';
    });
    this.panel = panel;
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor && isOurs(editor.document)) {
      this.place = { uri: editor.document.uri, position: editor.selection.active };
      this.updateSoon();
    }
  }

  /** Moves the cursor of the editor that shows the listing to a line; the focus stays in the panel. */
  private choose(line: number): void {
    if (!this.place) {
      return;
    }
    const { uri } = this.place;
    const position = new vscode.Position(line, 0);
    this.place = { uri, position };
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    if (editor && line < editor.document.lineCount) {
      editor.selection = new vscode.Selection(position, position);
      editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
    this.updateSoon();
  }

  private updateSoon(): void {
    clearTimeout(this.timer);
    if (this.panel) {
      this.timer = setTimeout(() => void this.update(), REST_MS);
    }
  }

  private async update(): Promise<void> {
    const { place } = this;
    const question = ++this.asked;
    const at = place && questionAt(place);
    const [summary, roofline, curves] = at
      ? await Promise.all([
          this.server.ask<object>('warplens/kernelSummary', at),
          this.server.ask<object>('warplens/kernelRoofline', at),
          this.server.ask<object>('warplens/occupancyCurves', at),
        ])
      : [];
    if (question !== this.asked || !this.panel) {
      return;
    }
    // A server that supports `occupancyCurves` also supports `compareGpus`.
    const message = summary ? { ...summary, roofline, curves, canCompare: curves !== undefined } : { nothing: this.reason() };
    const text = JSON.stringify(message);
    if (text !== this.shown) {
      this.shown = text;
      await this.panel.webview.postMessage(message);
    }
  }

  /** Requests predictions of the kernel for all GPUs that run its code, which takes longer than the other requests. */
  private async compare(): Promise<void> {
    this.comparison?.cancel();
    const comparison = new vscode.CancellationTokenSource();
    this.comparison = comparison;
    const { place } = this;
    const gpus = place && (await this.server.ask<object>('warplens/compareGpus', questionAt(place), comparison.token));
    // A later request, for another place or another text, cancels this one.
    if (!comparison.token.isCancellationRequested) {
      await this.panel?.webview.postMessage({ gpus: gpus ?? null });
    }
  }

  private reason(): string {
    if (!this.place) {
      return 'Open a listing or PTX and put the cursor into a kernel.';
    }
    return this.server.condition.is === 'running' ? 'There is no kernel in this text.' : 'The server is not running.';
  }
}

function questionAt({ uri, position: { line, character } }: Place): { textDocument: { uri: string }; position: { line: number; character: number } } {
  return { textDocument: { uri: uriConverters.code2Protocol(uri) }, position: { line, character } };
}

/** Whether a message of the page is the line of an access that the user chose in it. */
function isChoice(message: unknown): message is { line: number } {
  return typeof message === 'object' && message !== null && Number.isInteger((message as { line?: unknown }).line);
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('panel.css')}">
<link rel="stylesheet" href="${file('roofline.css')}">
<link rel="stylesheet" href="${file('occupancy.css')}">
<title>warplens: kernel</title>
</head>
<body>
<main id="kernel" aria-live="polite"></main>
<script nonce="${nonce}" src="${file('drawing.js')}"></script>
<script nonce="${nonce}" src="${file('roofline.js')}"></script>
<script nonce="${nonce}" src="${file('occupancy.js')}"></script>
<script nonce="${nonce}" src="${file('panel.js')}"></script>
</body>
</html>`;
}
