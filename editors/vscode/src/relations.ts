/**
 * Marks for the instruction at the cursor: the producers of what it reads, the consumers of what it writes, and its live
 * registers.
 */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { encodingStart } from './encodingLines';
import { isOurs } from './languages';
import type { Server } from './server';
import { writeSetting } from './setting';

/** A line of a producer or a consumer, and the registers concerned: `R4`. */
interface Related {
  line: number;
  words: string;
}

/** Response of `warplens/relations`. Lines are counted from 0. */
interface Relations {
  line: number;
  producers: Related[];
  consumers: Related[];
  registers: { name: string; from: number; to: number }[];
}

/** Delay after the last move of the cursor before the server is asked, in ms. */
const REST_MS = 100;

/** Colours of the bars, which are side by side: no more of them fit before the text. */
const COLOURS = ['charts.blue', 'charts.purple', 'charts.red', 'charts.green'];
const STEP = 4;

export class RelationMarks implements vscode.Disposable {
  private readonly producers = ending('▲ writes', 'charts.green');
  private readonly consumers = ending('▼ reads', 'charts.yellow');
  private readonly names = COLOURS.map((colour) => ending('┃', colour));
  private readonly lives = COLOURS.map((colour, at) => bar(colour, at));
  private readonly parts: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;
  private marked: vscode.TextEditor | undefined;

  constructor(private readonly server: Server) {
    const { window, workspace } = vscode;
    const ofActive = (editor: vscode.TextEditor | undefined): void => {
      if (editor === window.activeTextEditor) {
        this.followSoon();
      }
    };
    this.parts = vscode.Disposable.from(
      this.producers.type,
      this.consumers.type,
      ...this.names.map(({ type }) => type),
      ...this.lives,
      window.onDidChangeTextEditorSelection(({ textEditor }) => ofActive(textEditor)),
      window.onDidChangeActiveTextEditor(ofActive),
      workspace.onDidChangeTextDocument(({ document }) => document === window.activeTextEditor?.document && this.followSoon()),
      workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('warplens') && this.followSoon()),
      server.onDidRun(() => this.followSoon()),
    );
    this.followSoon();
  }

  async toggle(): Promise<void> {
    await writeSetting('relations', !isOn());
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    this.parts.dispose();
  }

  private followSoon(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    const editor = vscode.window.activeTextEditor;
    if (this.marked && (!isOn() || this.marked !== editor)) {
      this.mark(this.marked, undefined);
    }
    if (editor && isOn() && isOurs(editor.document)) {
      this.timer = setTimeout(() => void this.follow(editor), REST_MS);
    }
  }

  private async follow(editor: vscode.TextEditor): Promise<void> {
    const question = new vscode.CancellationTokenSource();
    this.question = question;
    const { line, character } = editor.selection.active;
    const textDocument = { uri: uriConverters.code2Protocol(editor.document.uri) };
    const answer = await this.server.ask<Relations>('warplens/relations', { textDocument, position: { line, character } }, question.token);
    if (!question.token.isCancellationRequested) {
      this.mark(editor, answer);
    }
  }

  private mark(editor: vscode.TextEditor, answer: Relations | undefined): void {
    this.marked = answer && editor;
    const { document } = editor;
    const within = <T extends { line: number }>(all: T[] | undefined): T[] => (all ?? []).filter(({ line }) => line < document.lineCount);
    const write = ({ type, words }: Ending, all: Related[], column = 1): void => {
      editor.setDecorations(
        type,
        all.map((one) => ({
          range: afterText(document, one.line),
          renderOptions: { after: { contentText: `${words} ${one.words}`, margin: `0 0 0 ${column}ch` } },
        })),
      );
    };
    write(this.producers, within(answer?.producers));
    write(this.consumers, within(answer?.consumers));
    const registers = answer?.registers ?? [];
    // The names follow one another, each in the colour of its bar.
    let column = 1;
    COLOURS.forEach((_, at) => {
      const life = registers[at];
      const [drawn, name] = [this.lives[at], this.names[at]];
      if (drawn && name) {
        const end = Math.min(life?.to ?? 0, document.lineCount - 1);
        editor.setDecorations(drawn, life ? [new vscode.Range(Math.min(life.from, end), 0, end, 0)] : []);
        write(name, life && answer ? within([{ line: answer.line, words: life.name }]) : [], column);
        column += (life?.name.length ?? 0) + 3;
      }
    });
  }
}

function isOn(): boolean {
  return vscode.workspace.getConfiguration('warplens').get<boolean>('relations', false);
}

/** Words after the text of a line. They cover the blanks before an encoding, so that nothing moves. */
interface Ending {
  type: vscode.TextEditorDecorationType;
  words: string;
}

function ending(words: string, colour: string): Ending {
  // The editor reserves space for such words. The CSS after the first value makes the browser draw them without.
  const textDecoration = 'none; position: absolute; white-space: pre';
  const after = { color: new vscode.ThemeColor(colour), textDecoration, backgroundColor: new vscode.ThemeColor('editor.background') };
  return { type: vscode.window.createTextEditorDecorationType({ after }), words };
}

/** The empty range after the text of a line, or after its instruction if an encoding follows. */
function afterText(document: vscode.TextDocument, line: number): vscode.Range {
  const { text } = document.lineAt(line);
  const end = text.slice(0, encodingStart(text)).trimEnd().length;
  return new vscode.Range(line, end, line, end);
}

/** A bar at the left of the lines in which a register is live. `at` is the number of its column. */
function bar(colour: string, at: number): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: '0 0 0 2px',
    // The editor draws all decorations of a line at its left end. The CSS after the first value moves each bar to its column.
    borderStyle: `solid; margin-left: ${STEP * at}px; box-sizing: border-box`,
    borderColor: new vscode.ThemeColor(colour),
    overviewRulerColor: new vscode.ThemeColor(colour),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
}
