/** "Show SASS": PTX or CUDA compiled by the server, or a source whose code is known; the listing beside it, and both in step. */

import { posix } from 'node:path';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { LineMap, type MappedFunction, type Side } from './lineMap';
import type { Server } from './server';

/** `warplens-sass:/folder/k.ptx.nvsass?file` is the listing of `file:/folder/k.ptx`; the ending gives it its language. */
const SCHEME = 'warplens-sass';
const ENDING = '.nvsass';
/** A run that ends sooner shows no progress. */
const LONG_MS = 400;
/** A pane that was scrolled for the other's sake does not scroll it back for so long. */
const QUIET_MS = 250;

/** What `warplens/showSass` answers. */
interface Answer {
  text: string | null;
  /** Why there is no listing. */
  reason: string | null;
  remedy: 'trust' | 'ptxas' | 'nvcc' | 'disassembler' | 'text' | null;
  lines: [number, number][];
  functions: MappedFunction[];
}

interface Listing {
  text: string;
  map: LineMap;
}

/** The languages that a listing can be made of, by the editor's ids. */
const SOURCES = new Set(['ptx', 'cuda-cpp', 'cuda', 'c', 'cpp', 'python', 'julia', 'rust', 'mojo']);

function listingOf(source: vscode.Uri): vscode.Uri {
  return source.with({ scheme: SCHEME, path: source.path + ENDING, query: source.scheme });
}

function sourceOf(listing: vscode.Uri): vscode.Uri {
  return listing.with({ scheme: listing.query, path: listing.path.slice(0, -ENDING.length), query: '' });
}

/** What would bring a listing, as a button. */
const REMEDIES = {
  trust: { title: 'Manage Trust', command: 'workbench.trust.manage', argument: undefined },
  ptxas: { title: 'Set ptxas', command: 'workbench.action.openSettings', argument: 'warplens.ptxas.path' },
  nvcc: { title: 'Set nvcc', command: 'workbench.action.openSettings', argument: 'warplens.nvcc.path' },
  disassembler: { title: 'Set the Disassembler', command: 'workbench.action.openSettings', argument: 'warplens.disassembler' },
  text: { title: 'Show Problems', command: 'workbench.actions.view.problems', argument: undefined },
};

export class Sass implements vscode.Disposable {
  /** By the name of the listing. */
  private readonly listings = new Map<string, Listing>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.wordHighlightForeground'),
  });
  private readonly quietUntil = new WeakMap<vscode.TextEditor, number>();
  private readonly parts: vscode.Disposable;

  constructor(private readonly server: Server) {
    const { window, workspace } = vscode;
    this.parts = vscode.Disposable.from(
      this.changed,
      this.highlight,
      workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (listing) => this.textOf(listing),
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor, true)),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.scrolled(textEditor)),
      window.onDidChangeActiveTextEditor((editor) => editor && this.follow(editor, false)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => this.edited(document, contentChanges)),
      workspace.onDidSaveTextDocument((document) => this.saved(document)),
      workspace.onDidCloseTextDocument(({ uri }) => uri.scheme === SCHEME && this.listings.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  /** Compiles the source in view and opens its listing beside it. */
  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !SOURCES.has(editor.document.languageId)) {
      void vscode.window.showInformationMessage('warplens: open the PTX or the source whose SASS is to be shown.');
      return;
    }
    const listing = listingOf(editor.document.uri);
    if (await this.compile(listing)) {
      const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === listing.toString());
      const viewColumn = shown?.viewColumn ?? vscode.ViewColumn.Beside;
      await vscode.window.showTextDocument(listing, { viewColumn, preserveFocus: true, preview: false });
      this.follow(editor, true);
    }
  }

  /** The text of a listing whose tab was opened without the command: that of a window that was closed. */
  private async textOf(listing: vscode.Uri): Promise<string> {
    const name = listing.toString();
    if (!this.listings.has(name)) {
      await vscode.workspace.openTextDocument(sourceOf(listing));
      await this.compile(listing);
    }
    const place = posix.basename(sourceOf(listing).path);
    return this.listings.get(name)?.text ?? `// ${place} was not compiled: "warplens: Show SASS" says why.\n`;
  }

  /** True where there is a text to show; else says why not. */
  private async compile(listing: vscode.Uri): Promise<boolean> {
    const source = sourceOf(listing);
    const name = posix.basename(source.path);
    const answer = await this.ask(name, source, listing);
    if (answer === 'cancelled') {
      return false;
    }
    if (typeof answer === 'string') {
      void vscode.window.showErrorMessage(`warplens: ${answer}`);
      return false;
    }
    if (answer.reason !== null) {
      this.explain(name, answer.reason, answer.remedy);
    }
    if (answer.text === null) {
      return false;
    }
    this.listings.set(listing.toString(), { text: answer.text, map: new LineMap(answer.lines, answer.functions) });
    this.changed.fire(listing);
    return true;
  }

  /** The server's answer, `cancelled`, or why there is none. */
  private async ask(name: string, source: vscode.Uri, listing: vscode.Uri): Promise<Answer | string> {
    await this.server.start();
    const { client, condition } = this.server;
    if (!client) {
      return 'why' in condition ? condition.why : 'the server does not run';
    }
    const offered: { showSass?: boolean } | undefined = client.initializeResult?.capabilities.experimental;
    if (offered?.showSass !== true) {
      return `${this.server.program?.version ?? 'the server'} cannot show SASS; install a newer one`;
    }
    const stop = new vscode.CancellationTokenSource();
    const question = {
      textDocument: { uri: uriConverters.code2Protocol(source) },
      listing: uriConverters.code2Protocol(listing),
    };
    const answer = client.sendRequest<Answer>('warplens/showSass', question, stop.token);
    const location = vscode.ProgressLocation.Notification;
    const timer = setTimeout(() => {
      void vscode.window.withProgress({ location, title: `Compiling ${name}`, cancellable: true }, (_, token) => {
        token.onCancellationRequested(() => stop.cancel());
        return answer.then(
          () => undefined,
          () => undefined,
        );
      });
    }, LONG_MS);
    try {
      return await answer;
    } catch (error) {
      // Stopped in the notification, in the status bar, or by another run.
      const isCancelled = stop.token.isCancellationRequested || (error as { code?: number }).code === -32800;
      return isCancelled ? 'cancelled' : error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
      stop.dispose();
    }
  }

  private explain(name: string, reason: string, remedy: Answer['remedy']): void {
    const button = remedy && REMEDIES[remedy];
    void vscode.window.showWarningMessage(`${name}: ${reason}.`, ...(button ? [button] : [])).then((answer) => {
      if (answer) {
        void vscode.commands.executeCommand(answer.command, answer.argument);
      }
    });
  }

  /** The editor of one side, and the one in view of the other side. */
  private pair(editor: vscode.TextEditor): { side: Side; map: LineMap; other: vscode.TextEditor | undefined } | undefined {
    const { uri } = editor.document;
    const side = uri.scheme === SCHEME ? 'listing' : 'source';
    const listing = side === 'listing' ? uri : listingOf(uri);
    const map = this.listings.get(listing.toString())?.map;
    const wanted = (side === 'listing' ? sourceOf(listing) : listing).toString();
    const other = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
    return map && { side, map, other };
  }

  /** Lights up in the other pane what belongs to the line at the cursor, and brings it into view. */
  private follow(editor: vscode.TextEditor, scrolls: boolean): void {
    const { side, map, other } = this.pair(editor) ?? {};
    if (!side || !map || !other || editor !== vscode.window.activeTextEditor) {
      return;
    }
    const line = editor.selection.active.line;
    const lines = map.others(side, line).filter((line) => line < other.document.lineCount);
    other.setDecorations(this.highlight, lines.map((line) => other.document.lineAt(line).range));
    // The cursor's own pane says nothing of itself.
    editor.setDecorations(this.highlight, []);
    const place = lines[0] ?? map.beside(side, line);
    if (scrolls && place !== undefined) {
      this.reveal(other, place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Keeps the line at the cursor, or the first line in view where that is out of it, at the height of what belongs to it. */
  private scrolled(editor: vscode.TextEditor): void {
    const { side, map, other } = this.pair(editor) ?? {};
    const top = editor.visibleRanges[0]?.start.line;
    const bottom = editor.visibleRanges.at(-1)?.end.line;
    if (!side || !map || !other || top === undefined || bottom === undefined || Date.now() < (this.quietUntil.get(editor) ?? 0)) {
      return;
    }
    const cursor = editor.selection.active.line;
    const line = top <= cursor && cursor <= bottom ? cursor : top;
    const place = map.beside(side, line);
    if (place !== undefined) {
      this.reveal(other, Math.max(0, place - (line - top)), vscode.TextEditorRevealType.AtTop);
    }
  }

  private reveal(editor: vscode.TextEditor, line: number, how: vscode.TextEditorRevealType): void {
    this.quietUntil.set(editor, Date.now() + QUIET_MS);
    const within = Math.min(line, editor.document.lineCount - 1);
    editor.revealRange(new vscode.Range(within, 0, within, 0), how);
  }

  private edited(document: vscode.TextDocument, changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const map = SOURCES.has(document.languageId) ? this.listings.get(listingOf(document.uri).toString())?.map : undefined;
    // From the last one up, so that none moves another; their lines are those of the text before.
    for (const { range, text } of [...changes].sort((a, b) => b.range.start.compareTo(a.range.start))) {
      const breaks = text.split('\n').length - 1;
      const isWhole = range.start.character === 0 && range.end.character === 0 && (text === '' || text.endsWith('\n'));
      const last = isWhole ? range.end.line : range.end.line + 1;
      map?.edited(range.start.line, last, isWhole ? breaks : breaks + 1);
    }
  }

  private saved(document: vscode.TextDocument): void {
    const listing = listingOf(document.uri);
    const isWanted = vscode.workspace.getConfiguration('warplens').get<boolean>('ptxas.onSave', false);
    const isShown = vscode.window.visibleTextEditors.some((editor) => editor.document.uri.toString() === listing.toString());
    if (SOURCES.has(document.languageId) && isWanted && isShown && vscode.workspace.isTrusted) {
      void this.compile(listing);
    }
  }
}
