/** The status bar item of the selected lines: the cycles from their first instruction to their last one. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { isOurs } from './languages';
import type { Server } from './server';
import { shortened } from './shortened';

/** Response of `warplens/selectionCycles`: one line, and the details in Markdown. */
interface Answer {
  text: string;
  detail: string;
}

/** Delay after the last change of the selection or the text before the server is asked, in ms. */
const REST_MS = 100;
/** Largest length of the item in characters, because the status bar is shared with other items. */
const ROOM = 48;

/** The active editor, if two or more lines of a listing or of PTX are selected. A single line cannot be timed. */
function editorWithLines(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && isOurs(editor.document) && !editor.selection.isSingleLine ? editor : undefined;
}

export class SelectionCycles implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('warplens.selectionCycles', vscode.StatusBarAlignment.Right, 101);
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;
  private readonly listeners: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.item.name = 'Cycles of the Selection';
    this.item.command = 'warplens.showSelectionCycles';
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) {
          this.followSoon();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.followSoon()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          this.followSoon();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('warplens')) {
          this.followSoon();
        }
      }),
      server.onDidRun(() => this.followSoon()),
      server.onDidChange(({ is }) => {
        if (is === 'off' || is === 'failed') {
          this.followSoon();
        }
      }),
    );
  }

  /** Shows the details in a hover at the cursor. If the selection cannot be timed, a message says why. */
  async show(): Promise<void> {
    const editor = editorWithLines();
    if (!editor) {
      void vscode.window.showInformationMessage('warplens: select lines of a listing or of PTX that contain at least two instructions.');
      return;
    }
    if (!this.isOffered()) {
      const who = this.server.program?.version ?? 'the server';
      void vscode.window.showInformationMessage(`warplens: ${who} is not running or cannot time selections.`);
      return;
    }
    const answer = await this.ask(editor);
    if (!answer) {
      void vscode.window.showInformationMessage('warplens: the selection does not contain two instructions of one kernel.');
      return;
    }
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.server.nextHover = new vscode.Hover(new vscode.MarkdownString(answer.detail));
    // A hover with the focus stays until Escape is pressed, wherever the mouse goes.
    await vscode.commands.executeCommand('editor.action.showHover', { focus: 'autoFocusImmediately' });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    this.listeners.dispose();
    this.item.dispose();
  }

  private followSoon(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    this.server.nextHover = undefined;
    const isWanted = vscode.workspace.getConfiguration('warplens').get<boolean>('selectionCycles', true);
    const editor = isWanted && this.isOffered() ? editorWithLines() : undefined;
    if (editor) {
      this.timer = setTimeout(() => void this.follow(editor), REST_MS);
    } else {
      this.item.hide();
    }
  }

  private async follow(editor: vscode.TextEditor): Promise<void> {
    const question = new vscode.CancellationTokenSource();
    this.question = question;
    const answer = await this.ask(editor, question.token);
    if (question.token.isCancellationRequested) {
      return;
    }
    if (answer) {
      this.item.text = `$(watch) ${shortened(answer.text, ROOM)}`;
      this.item.tooltip = new vscode.MarkdownString(answer.detail);
      this.item.accessibilityInformation = { label: answer.text };
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  private isOffered(): boolean {
    const offered: { selectionCycles?: boolean } | undefined = this.server.client?.initializeResult?.capabilities.experimental;
    return offered?.selectionCycles === true;
  }

  private ask({ document, selection }: vscode.TextEditor, token?: vscode.CancellationToken): Promise<Answer | undefined> {
    const place = ({ line, character }: vscode.Position) => ({ line, character });
    const question = {
      textDocument: { uri: uriConverters.code2Protocol(document.uri) },
      range: { start: place(selection.start), end: place(selection.end) },
    };
    return this.server.ask<Answer>('warplens/selectionCycles', question, token);
  }
}
