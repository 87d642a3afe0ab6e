/** Encodings of a listing, which are half of its lines: shown, dimmed or hidden, as a setting says. No line moves. */

import * as vscode from 'vscode';
import { SCHEME as CUBIN_SCHEME } from './binary';
import { encodingStart, isEncodingAlone } from './encodingLines';
import type { Server } from './server';
import { writeSetting } from './setting';
import { KINDS } from './view';

const STATES = ['shown', 'dimmed', 'hidden'] as const;
type State = (typeof STATES)[number];
/** The schemes of documents whose text the server makes. */
const VIEWS = new Set([CUBIN_SCHEME, KINDS.sass.scheme]);

/** So many lines above and below those in view are looked at too, so that a scroll shows nothing that is then taken away. */
const AROUND = 150;
const REST_MS = 30;
/** The editor moves what is decorated along with the text, so while somebody types there is nothing to do; drawing would only delay their proposals. */
const TYPING_MS = 400;

export class Encodings implements vscode.Disposable {
  private readonly decorations: Partial<Record<State, vscode.TextEditorDecorationType>> = {
    dimmed: vscode.window.createTextEditorDecorationType({ opacity: '0.35' }),
    // The editor has no way to leave text out; as other extensions do, the style of the decoration goes on behind the first value.
    hidden: vscode.window.createTextEditorDecorationType({ textDecoration: 'none; display: none' }),
  };
  private readonly parts: vscode.Disposable;
  /** Moves an encoding in a line of its own below the one of its instruction, which hints have pushed to the right. */
  private readonly aligned = vscode.window.createTextEditorDecorationType({});
  /** The room that hints before an encoding take, by line, as CSS has it. */
  private readonly rooms = new WeakMap<vscode.TextDocument, Map<number, string>>();
  /** What was drawn last in each editor; nothing is drawn twice. */
  private readonly drawn = new WeakMap<vscode.TextEditor, string>();
  private restUntil = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(server: Server) {
    this.parts = vscode.Disposable.from(
      ...Object.values(this.decorations),
      this.aligned,
      server.onDidHint(({ document, hints }) => isListing(document) && this.takeHints(document, hints)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.drawSoon()),
      vscode.window.onDidChangeTextEditorVisibleRanges(() => this.drawSoon()),
      vscode.workspace.onDidOpenTextDocument(() => this.drawSoon()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => isListing(document) && this.edited()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (['warplens.encodings', 'editor.inlayHints', 'editor.fontSize'].some((name) => change.affectsConfiguration(name))) {
          this.drawSoon();
        }
      }),
    );
    this.drawSoon();
  }

  /** Goes on to the next state: shown, dimmed, hidden, shown. */
  async toggle(): Promise<void> {
    const next = STATES[(STATES.indexOf(state()) + 1) % STATES.length] ?? 'dimmed';
    await writeSetting('encodings', next);
    vscode.window.setStatusBarMessage(`Encodings: ${next}`, 3000);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.dispose();
  }

  private edited(): void {
    this.restUntil = Date.now() + TYPING_MS;
    this.drawSoon();
  }

  private drawSoon(): void {
    clearTimeout(this.timer);
    const draw = (): void => vscode.window.visibleTextEditors.filter(({ document }) => isListing(document)).forEach((one) => this.draw(one));
    this.timer = setTimeout(draw, Math.max(REST_MS, this.restUntil - Date.now()));
  }

  private takeHints(document: vscode.TextDocument, hints: vscode.InlayHint[]): void {
    const rooms = this.rooms.get(document) ?? new Map<number, string>();
    this.rooms.set(document, rooms);
    const gap = Math.trunc(vscode.workspace.getConfiguration('editor', document).get<number>('fontSize', 14) / 4);
    const widths = new Map<number, { columns: number; gaps: number }>();
    for (const { position, label, paddingLeft, paddingRight } of hints) {
      const start = position.line < document.lineCount ? encodingStart(document.lineAt(position.line).text) : undefined;
      if (start !== undefined && position.character <= start) {
        const width = widths.get(position.line) ?? { columns: 0, gaps: 0 };
        width.columns += (typeof label === 'string' ? label : label.map(({ value }) => value).join('')).length;
        width.gaps += (paddingLeft ? 1 : 0) + (paddingRight ? 1 : 0);
        widths.set(position.line, width);
      }
    }
    widths.forEach(({ columns, gaps }, line) => rooms.set(line, `calc(${columns}ch + ${gaps * gap}px)`));
    this.drawSoon();
  }

  private draw(editor: vscode.TextEditor): void {
    const now = stateIn(editor.document);
    const encodings = encodingsIn(editor);
    const aligned = now === 'hidden' ? [] : this.alignedIn(editor.document, encodings);
    const drawn = JSON.stringify([now, editor.document.version, encodings.length, encodings[0]?.start.line, aligned.map(({ renderOptions }) => renderOptions.before.width)]);
    if (this.drawn.get(editor) === drawn) {
      return;
    }
    this.drawn.set(editor, drawn);
    for (const [name, decoration] of Object.entries(this.decorations)) {
      editor.setDecorations(decoration, name === now ? encodings : []);
    }
    editor.setDecorations(this.aligned, aligned);
  }

  /** Room before each encoding in a line of its own, as much as hints take in the line above it. */
  private alignedIn(document: vscode.TextDocument, encodings: vscode.Range[]): { range: vscode.Range; renderOptions: { before: { contentText: string; width: string } } }[] {
    const hints = vscode.workspace.getConfiguration('editor', document).get<string>('inlayHints.enabled', 'on');
    const rooms = hints.startsWith('off') ? undefined : this.rooms.get(document);
    return encodings.flatMap(({ start }) => {
      const width = isEncodingAlone(document.lineAt(start.line).text) ? rooms?.get(start.line - 1) : undefined;
      return width === undefined ? [] : [{ range: new vscode.Range(start, start), renderOptions: { before: { contentText: '', width } } }];
    });
  }
}

function isListing({ languageId }: vscode.TextDocument): boolean {
  return languageId === 'nvsass';
}

function state(): State {
  const value = vscode.workspace.getConfiguration('warplens').get<string>('encodings', 'dimmed');
  return STATES.find((one) => one === value) ?? 'dimmed';
}

/** The state in a document. The views that the server makes have their encodings in the lines of the instructions, and hide them. */
function stateIn({ uri }: vscode.TextDocument): State {
  const now = state();
  return now === 'dimmed' && VIEWS.has(uri.scheme) ? 'hidden' : now;
}

/** The encodings in view and a little around it. */
function encodingsIn({ document, visibleRanges }: vscode.TextEditor): vscode.Range[] {
  const found: vscode.Range[] = [];
  let next = 0;
  for (const { start, end } of visibleRanges) {
    const last = Math.min(document.lineCount - 1, end.line + AROUND);
    for (let line = Math.max(next, start.line - AROUND); line <= last; line++) {
      const { text, range } = document.lineAt(line);
      const at = encodingStart(text);
      if (at !== undefined) {
        found.push(range.with({ start: range.start.translate(0, at) }));
      }
    }
    next = Math.max(next, last + 1);
  }
  return found;
}
