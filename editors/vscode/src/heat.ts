/** Heat in the gutter: the share of the samples that each line has by the attached profiles. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { isServed } from './languages';
import type { Server } from './server';

interface Line {
  line: number;
  share: number;
  isStale: boolean;
}

/** Shares from which on a line is drawn in each of the levels. */
const LEVELS = [0.005, 0.02, 0.08, 0.2];

/** Their colours; that of what has changed since is grey. */
const COLOURS = ['#d4a72c', '#e0823d', '#e5534b', '#cf222e'];

/** The time for which a text rests before it is asked about. */
const REST_MS = 300;

export class Heat implements vscode.Disposable {
  private readonly decorations = LEVELS.map((_, level) => decoration(level, false));
  private readonly stale = LEVELS.map((_, level) => decoration(level, true));
  private readonly parts: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.parts = vscode.Disposable.from(
      ...this.decorations,
      ...this.stale,
      server.onDidChangeProfiles(() => this.updateSoon()),
      server.onDidChangeCode(() => this.updateSoon()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.updateSoon()),
      vscode.workspace.onDidChangeTextDocument(() => this.updateSoon()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('warplens.heat')) {
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
    const isOn = this.server.profiles.length > 0 && vscode.workspace.getConfiguration('warplens').get('heat', true);
    const uri = uriConverters.code2Protocol(document.uri);
    const answer = isOn ? await this.server.ask<{ lines: Line[] }>('warplens/heat', { textDocument: { uri } }) : undefined;
    const lines = (answer?.lines ?? []).filter(({ line }) => line < document.lineCount);
    for (const [isStale, decorations] of [
      [false, this.decorations],
      [true, this.stale],
    ] as const) {
      decorations.forEach((own, level) => {
        const most = LEVELS[level + 1] ?? Infinity;
        const shown = lines.filter((line) => line.isStale === isStale && line.share >= (LEVELS[level] ?? 0) && line.share < most);
        editor.setDecorations(
          own,
          shown.map(({ line }) => document.lineAt(line).range),
        );
      });
    }
  }
}

/** A bar in the gutter, the wider the hotter; that of code that has changed is grey. */
function decoration(level: number, isStale: boolean): vscode.TextEditorDecorationType {
  const colour = (isStale ? undefined : COLOURS[level]) ?? '#8c959f';
  const width = 3 + 3 * level;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="${16 - width}" y="1" width="${width}" height="14" rx="1" fill="${colour}"/></svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`),
    gutterIconSize: 'contain',
    overviewRulerColor: colour,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}
