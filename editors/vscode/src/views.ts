/** "Show SASS" and "Show PTX": a source compiled by the server, or one whose code is known, with its views beside it. */

import { posix } from 'node:path';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { LineMap } from './lineMap';
import { OldViews } from './oldViews';
import type { Server } from './server';
import { Step } from './step';
import { type Answer, KINDS, type Kind, explain, kindOf, sourceOf, viewOf } from './view';

/** A run that ends sooner shows no progress. */
const LONG_MS = 400;

interface View {
  text: string;
  map: LineMap;
}

export class Views implements vscode.Disposable {
  /** By the name of the view. */
  private readonly views = new Map<string, View>();
  /** Names of views whose source has newer code. */
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

  /** Compiles the source in view, or the one whose view is, and opens what it becomes beside it. */
  async show(kind: Kind): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor && (await this.open(editor, kind))) {
      this.step.follow(editor, true);
    }
  }

  /** Moves the cursor to what the line at it becomes, in a view that is opened where it has to be. */
  async goTo(kind: Kind): Promise<void> {
    const from = vscode.window.activeTextEditor;
    const to = from && (editorOf(viewOf(sourceOf(from.document.uri), kind)) ?? (await this.open(from, kind)));
    await this.jump(from, to);
  }

  /** Moves the cursor from a view to the line of the source that the line at it comes from. */
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
    // The selection may have changed before the editor was the active one, or not at all: the other panes follow anyway.
    this.step.follow(shown, true);
  }

  /** The editor of a view of the source that an editor shows, or shows a view of; undefined where there is none to be had. */
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
    // To the right of all that is of this source, so that they stand side by side.
    const panes = vscode.window.visibleTextEditors.filter(({ document }) => sourceOf(document.uri).toString() === source.uri.toString());
    const last = Math.max(...panes.map(({ viewColumn }) => viewColumn ?? 0));
    const viewColumn = editorOf(view)?.viewColumn ?? (last > 0 ? last + 1 : vscode.ViewColumn.Beside);
    return vscode.window.showTextDocument(view, { viewColumn, preserveFocus: true, preview: false });
  }

  /** The text of a view whose tab was opened without the command: that of a window that was closed. */
  private async textOf(view: vscode.Uri): Promise<string> {
    const name = view.toString();
    const kind = kindOf(view);
    if (kind && !this.views.has(name)) {
      await vscode.workspace.openTextDocument(sourceOf(view));
      await this.compile(view);
    }
    const place = posix.basename(sourceOf(view).path);
    return this.views.get(name)?.text ?? `// ${place} was not compiled: "warplens: Show ${kind && KINDS[kind].title}" says why.\n`;
  }

  /** True where there is a text to show; else says why not. */
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

  /** The server's answer, `cancelled`, or why there is none. */
  private async ask(name: string, view: vscode.Uri): Promise<Answer | string> {
    await this.server.start();
    const { client, condition } = this.server;
    const kind = KINDS[kindOf(view) ?? 'sass'];
    if (!client) {
      return 'why' in condition ? condition.why : 'the server does not run';
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
      // Stopped in the notification, in the status bar, or by another run.
      const isCancelled = stop.token.isCancellationRequested || (error as { code?: number }).code === -32800;
      return isCancelled ? 'cancelled' : error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
      stop.dispose();
    }
  }

  /** The names of a source's views that are open. */
  private viewsOf(source: vscode.Uri): string[] {
    const names = (Object.keys(KINDS) as Kind[]).map((kind) => viewOf(source, kind).toString());
    return names.filter((name) => this.views.has(name));
  }

  private codeChanged(source: vscode.Uri): void {
    this.viewsOf(source).forEach((name) => this.overtaken.add(name));
    this.catchUp();
  }

  /** Brings the views up to date that are seen. */
  private catchUp(): void {
    for (const { document } of vscode.window.visibleTextEditors) {
      if (this.overtaken.delete(document.uri.toString())) {
        void this.renew(document.uri);
      }
    }
  }

  /** Takes the newest text of a view. Nobody has asked for it, so nothing is said where there is none. */
  private async renew(view: vscode.Uri): Promise<void> {
    const kind = kindOf(view);
    const source = await vscode.workspace.openTextDocument(sourceOf(view));
    const answer = kind && (await this.server.ask<Answer>(KINDS[kind].method, question(view)));
    // After an edit there is newer code to come.
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
    // From the last one up, so that none moves another; their lines are those of the text before.
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

/** What the server is asked for the text of a view. */
function question(view: vscode.Uri): { textDocument: { uri: string }; listing: string } {
  return {
    textDocument: { uri: uriConverters.code2Protocol(sourceOf(view)) },
    listing: uriConverters.code2Protocol(view),
  };
}

/** An editor in view that shows a document. */
function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
}
