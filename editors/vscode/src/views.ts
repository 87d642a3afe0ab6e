/** "Show SASS" and "Show PTX": the compiled code of a source, in views to the right of it. */

import { posix } from 'node:path';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { LineMap } from './lineMap';
import { OldViews } from './oldViews';
import type { Server } from './server';
import { Step } from './step';
import { type Answer, KINDS, type Kind, explain, kindOf, sourceOf, viewOf } from './view';

/** Time in ms after which a compilation shows its progress. */
const LONG_MS = 400;

interface View {
  text: string;
  map: LineMap;
}

export class Views implements vscode.Disposable {
  /** The texts and line maps of the open views, by URI. */
  private readonly views = new Map<string, View>();
  /** URIs of views whose source has newer code. */
  private readonly overtaken = new Set<string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly old = new OldViews((view) => this.views.get(view.toString())?.map.isOvertaken === true);
  private readonly step = new Step((view) => this.views.get(view.toString())?.map);
  private readonly parts: vscode.Disposable;

  constructor(private readonly server: Server) {
    const { window, workspace } = vscode;
    const provider: vscode.TextDocumentContentProvider = {
      onDidChange: this.changed.event,
      provideTextDocumentContent: (view) => this.textOf(view),
    };
    this.parts = vscode.Disposable.from(
      this.changed,
      this.step,
      this.old,
      ...Object.values(KINDS).map(({ scheme }) => workspace.registerTextDocumentContentProvider(scheme, provider)),
      server.onDidChangeCode((source) => this.codeChanged(source)),
      window.onDidChangeVisibleTextEditors(() => this.catchUp()),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => this.edited(document, contentChanges)),
      workspace.onDidSaveTextDocument((document) => this.saved(document)),
      workspace.onDidCloseTextDocument(({ uri }) => this.views.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  /** Compiles the source in the active editor, or the source of the view there, and opens the result to its right. */
  async show(kind: Kind): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor && (await this.open(editor, kind))) {
      this.step.follow(editor, true);
    }
  }

  /** Moves the cursor to the code of the current line in a view, which is opened if necessary. */
  async goTo(kind: Kind): Promise<void> {
    const from = vscode.window.activeTextEditor;
    const to = from && (editorOf(viewOf(sourceOf(from.document.uri), kind)) ?? (await this.open(from, kind)));
    await this.jump(from, to);
  }

  /** Moves the cursor from a view to the source line that the current line comes from. */
  async goToSource(): Promise<void> {
    const from = vscode.window.activeTextEditor;
    if (!from || !kindOf(from.document.uri)) {
      void vscode.window.showInformationMessage('warplens: this is not a view of a source.');
      return;
    }
    const source = sourceOf(from.document.uri);
    const shown = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    await this.jump(from, editorOf(source) ?? (await vscode.window.showTextDocument(source, shown)));
  }

  private async jump(from: vscode.TextEditor | undefined, to: vscode.TextEditor | undefined): Promise<void> {
    if (!from || !to) {
      return;
    }
    const line = Math.min(this.step.beside(from, to) ?? to.selection.active.line, to.document.lineCount - 1);
    const selection = new vscode.Range(line, 0, line, 0);
    const shown = await vscode.window.showTextDocument(to.document, { viewColumn: to.viewColumn ?? vscode.ViewColumn.Active, selection });
    // The selection may have changed before the editor became active, or not at all. The other panes follow in any case.
    this.step.follow(shown, true);
  }

  /**
   * Compiles the source of an editor, or of the view in it, and opens a view of it. Returns undefined if there is no text to
   * show.
   */
  private async open(editor: vscode.TextEditor, kind: Kind): Promise<vscode.TextEditor | undefined> {
    const { sources, title } = KINDS[kind];
    const source = await vscode.workspace.openTextDocument(sourceOf(editor.document.uri));
    if (!sources.has(source.languageId)) {
      void vscode.window.showInformationMessage(`warplens: open the source whose ${title} you want to see.`);
      return undefined;
    }
    const view = viewOf(source.uri, kind);
    if (!(await this.compile(view))) {
      return undefined;
    }
    // To the right of all panes of this source, so that they are side by side.
    const panes = vscode.window.visibleTextEditors.filter(({ document }) => sourceOf(document.uri).toString() === source.uri.toString());
    const last = Math.max(...panes.map(({ viewColumn }) => viewColumn ?? 0));
    const viewColumn = editorOf(view)?.viewColumn ?? (last > 0 ? last + 1 : vscode.ViewColumn.Beside);
    return vscode.window.showTextDocument(view, { viewColumn, preserveFocus: true, preview: false });
  }

  /** Returns the text of a view. A tab that the editor restored with the window is compiled first. */
  private async textOf(view: vscode.Uri): Promise<string> {
    const name = view.toString();
    const kind = kindOf(view);
    if (kind && !this.views.has(name)) {
      await vscode.workspace.openTextDocument(sourceOf(view));
      await this.compile(view);
    }
    const place = posix.basename(sourceOf(view).path);
    return this.views.get(name)?.text ?? `// ${place} was not compiled. Run "warplens: Show ${kind && KINDS[kind].title}" to see why.\n`;
  }

  /** Compiles a view. Returns true if there is a text to show. A message reports why a text is missing or incomplete. */
  private async compile(view: vscode.Uri): Promise<boolean> {
    const name = posix.basename(sourceOf(view).path);
    const answer = await this.ask(name, view);
    if (answer === 'cancelled') {
      return false;
    }
    if (typeof answer === 'string') {
      void vscode.window.showErrorMessage(`warplens: ${answer}`);
      return false;
    }
    if (answer.reason !== null) {
      void explain(`${name}: ${answer.reason}`, answer.remedy);
    }
    return this.take(view, answer);
  }

  private take(view: vscode.Uri, answer: Answer): boolean {
    if (answer.text === null) {
      return false;
    }
    this.overtaken.delete(view.toString());
    this.views.set(view.toString(), { text: answer.text, map: new LineMap(answer.lines, answer.functions) });
    this.changed.fire(view);
    this.old.changed([view]);
    return true;
  }

  /** Returns the server's answer, `cancelled`, or the reason why there is no answer. */
  private async ask(name: string, view: vscode.Uri): Promise<Answer | string> {
    await this.server.start();
    const { client, condition } = this.server;
    const kind = KINDS[kindOf(view) ?? 'sass'];
    if (!client) {
      return 'why' in condition ? condition.why : 'the server is not running';
    }
    const offered: Record<string, boolean> | undefined = client.initializeResult?.capabilities.experimental;
    if (offered?.[kind.ability] !== true) {
      return `${this.server.program?.version ?? 'the server'} cannot show ${kind.title}; install a newer one`;
    }
    const stop = new vscode.CancellationTokenSource();
    const answer = client.sendRequest<Answer>(kind.method, question(view), stop.token);
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
      // The run was stopped in the notification, in the status bar, or by another run.
      const isCancelled = stop.token.isCancellationRequested || (error as { code?: number }).code === -32800;
      return isCancelled ? 'cancelled' : error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
      stop.dispose();
    }
  }

  /** The URIs of the open views of a source. */
  private viewsOf(source: vscode.Uri): string[] {
    const names = (Object.keys(KINDS) as Kind[]).map((kind) => viewOf(source, kind).toString());
    return names.filter((name) => this.views.has(name));
  }

  private codeChanged(source: vscode.Uri): void {
    this.viewsOf(source).forEach((name) => this.overtaken.add(name));
    this.catchUp();
  }

  /** Updates the visible views whose source has newer code. */
  private catchUp(): void {
    for (const { document } of vscode.window.visibleTextEditors) {
      if (this.overtaken.delete(document.uri.toString())) {
        void this.renew(document.uri);
      }
    }
  }

  /** Updates a view to the newest text. The user has not asked for it, so a missing text is not reported. */
  private async renew(view: vscode.Uri): Promise<void> {
    const kind = kindOf(view);
    const source = await vscode.workspace.openTextDocument(sourceOf(view));
    const answer = kind && (await this.server.ask<Answer>(KINDS[kind].method, question(view)));
    // If the source has been edited meanwhile, newer code follows.
    if (answer?.version === source.version) {
      this.take(view, answer);
    }
  }

  private edited(document: vscode.TextDocument, changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    if (kindOf(document.uri)) {
      this.step.paint();
      const active = vscode.window.activeTextEditor;
      if (active) {
        this.step.follow(active, false);
      }
      return;
    }
    const names = this.viewsOf(document.uri);
    // Changes are applied from the last one to the first, because all of their lines refer to the text before the edit.
    for (const { range, text } of [...changes].sort((a, b) => b.range.start.compareTo(a.range.start))) {
      const breaks = text.split('\n').length - 1;
      const isWhole = range.start.character === 0 && range.end.character === 0 && (text === '' || text.endsWith('\n'));
      const last = isWhole ? range.end.line : range.end.line + 1;
      names.forEach((name) => this.views.get(name)?.map.edited(range.start.line, last, isWhole ? breaks : breaks + 1));
    }
    if (names.length > 0) {
      this.step.paint();
      this.old.changed(names.map((name) => vscode.Uri.parse(name)));
    }
  }

  private saved(document: vscode.TextDocument): void {
    const isWanted = vscode.workspace.getConfiguration('warplens').get<boolean>('ptxas.onSave', false);
    if (isWanted && vscode.workspace.isTrusted) {
      const shown = (Object.keys(KINDS) as Kind[]).map((kind) => viewOf(document.uri, kind)).filter(editorOf);
      shown.forEach((view) => void this.compile(view));
    }
  }
}

/** Parameters of the request for the text of a view. */
function question(view: vscode.Uri): { textDocument: { uri: string }; listing: string } {
  return {
    textDocument: { uri: uriConverters.code2Protocol(sourceOf(view)) },
    listing: uriConverters.code2Protocol(view),
  };
}

/** A visible editor that shows a document; undefined if the document is not visible. */
function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
}
