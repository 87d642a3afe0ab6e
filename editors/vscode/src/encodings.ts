/** Shows, dims or hides the encodings of a listing, which are half of its lines, as a setting says. No line moves. */

import * as vscode from 'vscode';
import { SCHEME as CUBIN_SCHEME } from './binary';
import { encodingStart, isEncodingAlone } from './encodingLines';
import type { Server } from './server';
import { writeSetting } from './setting';
import { KINDS } from './view';

const STATES = ['shown', 'dimmed', 'hidden'] as const;
type State = (typeof STATES)[number];
/** URI schemes of documents whose text comes from the server. */
const VIEWS = new Set([CUBIN_SCHEME, KINDS.sass.scheme]);

/**
 * Number of lines above and below the visible ones that are decorated too, so that scrolling shows no encodings that then
 * disappear.
 */
const AROUND = 150;
const REST_MS = 30;
/**
 * Delay after an edit, in ms. The editor moves decorations along with the text; drawing during typing would only delay
 * completions.
 */
const TYPING_MS = 400;

export class Encodings implements vscode.Disposable {
  private readonly decorations: Partial<Record<State, vscode.TextEditorDecorationType>> = {
    dimmed: vscode.window.createTextEditorDecorationType({ opacity: '0.35' }),
    // The editor cannot hide text. As in other extensions, the CSS after the first value of the style hides it.
    hidden: vscode.window.createTextEditorDecorationType({ textDecoration: 'none; display: none' }),
  };
  private readonly parts: vscode.Disposable;
  /** Aligns an encoding that is alone on its line with the one above, which hints have pushed to the right. */
  private readonly aligned = vscode.window.createTextEditorDecorationType({});
  /** Width of the hints before an encoding, by line, as a CSS length. */
  private readonly rooms = new WeakMap<vscode.TextDocument, Map<number, string>>();
  /** Summary of what was last drawn in each editor, so that nothing is drawn twice. */
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

  /** Switches to the next state: shown, dimmed, hidden, shown. */
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

  /** Space before each encoding that is alone on its line, as wide as the hints on the line above. */
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

/**
 * The state in a document. Views from the server have encodings on the lines of the instructions, and hide them instead of
 * dimming.
 */
function stateIn({ uri }: vscode.TextDocument): State {
  const now = state();
  return now === 'dimmed' && VIEWS.has(uri.scheme) ? 'hidden' : now;
}

/** The encodings in the visible lines and in those around them. */
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
