/** Bars in the gutter that show each line's share of the kernel's time: measured by attached profiles, otherwise predicted. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { isServed } from './languages';
import type { Server } from './server';

/** A line in the response of `warplens/heat`. */
export interface LineHeat {
  line: number;
  /** Share of the kernel's time, from 0 to 1. */
  share: number;
  /** Whether the line has changed since it was measured. */
  isStale: boolean;
  /** One line of plain text: the share, what it is a share of, and the reason. */
  words?: string;
}

export interface Heated {
  /** The profile, or the model that predicted the shares. */
  source?: string;
  isMeasured?: boolean;
  lines: LineHeat[];
}

/** Least share of each level. */
const LEVELS = [0.005, 0.02, 0.08, 0.2];

/** Colours of measured shares, by level. Shares of lines that have changed since are grey. */
const MEASURED = ['#d4a72c', '#e0823d', '#e5534b', '#cf222e'];
const PREDICTED = '#4f8fd0';
const STALE = '#8c959f';

/** Delay after the last change before the server is asked, in ms. */
const REST_MS = 300;

/** Number of lines above which only the visible range of a document is requested. */
const LONG = 20_000;

/**
 * Requests the heat of a document, or of its visible range if the document is long. Returns undefined if the server has no
 * answer, or if the document was edited meanwhile. Older servers return only measured shares.
 */
export async function heatOf(server: Server, { document, visibleRanges }: vscode.TextEditor): Promise<Heated | undefined> {
  const { version } = document;
  const textDocument = { uri: uriConverters.code2Protocol(document.uri) };
  const [first, last] = [visibleRanges[0], visibleRanges.at(-1)];
  const range = document.lineCount > LONG && first && last ? { start: { line: first.start.line, character: 0 }, end: { line: last.end.line, character: 0 } } : undefined;
  const answer = await server.ask<Heated>('warplens/heat', { textDocument, ...(range ? { range } : {}) }, undefined, 2);
  // An edit triggers another request.
  return answer && document.version === version ? answer : undefined;
}

type Style = 'measured' | 'predicted' | 'stale';

export class Heat implements vscode.Disposable {
  private readonly decorations: Record<Style, vscode.TextEditorDecorationType[]> = {
    measured: LEVELS.map((_, level) => filled(level, MEASURED[level] ?? STALE)),
    predicted: LEVELS.map((_, level) => hollow(level)),
    stale: LEVELS.map((_, level) => filled(level, STALE)),
  };
  private readonly parts: vscode.Disposable;
  /** The answer that was last drawn in each editor, so that nothing is drawn twice. */
  private readonly drawn = new WeakMap<vscode.TextEditor, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.parts = vscode.Disposable.from(
      ...Object.values(this.decorations).flat(),
      server.onDidChangeProfiles(() => this.updateSoon()),
      server.onDidChangeCode(() => this.updateSoon()),
      server.onDidRun(() => this.updateSoon()),
      server.onDidChange(() => this.updateSoon()),
      server.onDidResolveLens(() => this.updateSoon()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.updateSoon()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => textEditor.document.lineCount > LONG && this.updateSoon()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => isServed(document) && this.updateSoon()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('warplens')) {
          this.updateSoon();
        }
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.dispose();
  }

  private updateSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      vscode.window.visibleTextEditors.forEach((editor) => void this.update(editor));
    }, REST_MS);
  }

  private async update(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    if (!isServed(document)) {
      return;
    }
    const isOn = vscode.workspace.getConfiguration('warplens').get('heat', true);
    const { version } = document;
    const answer = isOn ? await heatOf(this.server, editor) : undefined;
    if (document.version !== version) {
      return;
    }
    const lines = (answer?.lines ?? []).filter(({ line }) => line < document.lineCount);
    const styleOf = ({ isStale }: LineHeat): Style => (isStale ? 'stale' : answer?.isMeasured === false ? 'predicted' : 'measured');
    const drawn = JSON.stringify([document.version, answer]);
    if (this.drawn.get(editor) === drawn) {
      return;
    }
    this.drawn.set(editor, drawn);
    for (const [style, decorations] of Object.entries(this.decorations)) {
      decorations.forEach((own, level) => {
        const most = LEVELS[level + 1] ?? Infinity;
        const shown = lines.filter((line) => styleOf(line) === style && line.share >= (LEVELS[level] ?? 0) && line.share < most);
        editor.setDecorations(
          own,
          shown.map((line) => explained(document, line, answer?.source)),
        );
      });
    }
  }
}

/** The decoration of a line: a bar, and the line's words as a hover over its first word. */
function explained(document: vscode.TextDocument, { line, words }: LineHeat, source: string | undefined): vscode.DecorationOptions {
  const { text, range, firstNonWhitespaceCharacterIndex: start } = document.lineAt(line);
  const first = /^\S+/.exec(text.slice(start))?.[0].length ?? 0;
  const place = range.with({ end: range.start.translate(0, start + first) });
  if (words === undefined) {
    return { range: place };
  }
  const hoverMessage = new vscode.MarkdownString();
  hoverMessage.appendText(words);
  if (source !== undefined) {
    hoverMessage.appendText(` (${source})`);
  }
  return { range: place, hoverMessage };
}

const WIDTHS = [4, 7, 10, 13];

/** A filled bar for a measured share. Hotter levels have wider bars. */
function filled(level: number, colour: string): vscode.TextEditorDecorationType {
  const width = WIDTHS[level] ?? 4;
  return decoration(`<rect x="${16 - width}" y="1" width="${width}" height="14" rx="1" fill="${colour}"/>`, colour);
}

/** An outlined bar for a predicted share. The lowest level has no mark in the overview ruler. */
function hollow(level: number): vscode.TextEditorDecorationType {
  const width = (WIDTHS[level] ?? 4) - 1;
  const bar = `<rect x="${15.5 - width}" y="2.5" width="${width}" height="11" rx="1" fill="${PREDICTED}" fill-opacity="0.15" stroke="${PREDICTED}"/>`;
  return decoration(bar, level > 0 ? `${PREDICTED}${['', '60', '90', 'c0'][level]}` : undefined);
}

function decoration(bar: string, ruler: string | undefined): vscode.TextEditorDecorationType {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16">${bar}</svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`),
    gutterIconSize: 'contain',
    ...(ruler === undefined ? {} : { overviewRulerColor: ruler, overviewRulerLane: vscode.OverviewRulerLane.Left }),
  });
}
