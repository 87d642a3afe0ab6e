/** The code lens "Tune" of a kernel: the server compiles and predicts its variants, and a page to the side shows them. */

import * as vscode from 'vscode';
import type { Server } from './server';
import { Values, escaped } from './variantValues';

/** The argument that the server gives the command in a code lens. */
interface Asked {
  uri: string;
  kernel: string;
  shape: string;
}

interface Row {
  variant: string;
  is_now: boolean;
  cycles: number | null;
  microseconds: number | null;
  estimated_microseconds: number | null;
  times_as_fast: number | null;
  registers: number | null;
  shared: number | null;
  occupancy: number | null;
  waves: number | null;
  limiter: string | null;
  why: string;
  problem: string | null;
}

/** Response of `warplens/tune`. */
interface Answer {
  title: string | null;
  /** An SVG picture of all known shapes of the kernel. */
  plot: string | null;
  outcome: { kernel: string; shape: string; gpu: string; rows: Row[]; compiled: number; of: number; ranked_by: string; estimated_by: string; is_of_triton: boolean } | null;
  reason: string | null;
}

/** Number of rows that are shown. The row of the current variant is shown in any case. */
const MOST_ROWS = 24;

export class TuningPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {}

  dispose(): void {
    this.panel?.dispose();
  }

  /** Tunes a kernel and shows the outcome. The server reports the progress. */
  async tune(asked: Asked): Promise<void> {
    const answer = await this.server.ask<Answer>('warplens/tune', asked);
    if (answer?.reason) {
      void vscode.window.showWarningMessage(`warplens: ${asked.kernel} was not tuned: ${answer.reason}.`);
    } else if (answer?.outcome) {
      this.show(answer);
    }
  }

  private show(answer: Answer): void {
    const media = vscode.Uri.joinPath(this.context.extensionUri, 'media');
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel(
        'warplens.tuning',
        'warplens: tuning',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: false, localResourceRoots: [media] },
      );
      this.panel.onDidDispose(() => {
        this.panel = undefined;
      });
    }
    const { webview } = this.panel;
    const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'panel.css')).toString();
    webview.html = page(answer, style, webview.cspSource);
    this.panel.reveal(undefined, true);
  }
}

function page({ outcome, plot, title }: Answer, style: string, source: string): string {
  const rows = outcome?.rows ?? [];
  const shown = rows.filter((row, at) => at < MOST_ROWS || row.is_now);
  const best = rows[0];
  const why = best?.why ? `<p>Why ${escaped(best.variant)}: ${sentence(best.why)}.</p>` : '';
  const picture = plot ? `<img alt="Variants by shape" style="max-width: 100%" src="data:image/svg+xml;base64,${Buffer.from(plot).toString('base64')}">` : '';
  const isOfTriton = outcome?.is_of_triton ?? false;
  const values = new Values(shown.map(({ variant }) => variant));
  const heads = [...values.heads(isOfTriton ? 'configuration' : 'variant'), ...(isOfTriton ? TRITON_HEADS : HEADS)];
  const fields = values.same === '' ? '' : `<p class="quiet">Same in all rows: <code>${escaped(values.same)}</code>.</p>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source} 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<style>
body { max-width: none; }
body.vscode-dark, body.vscode-high-contrast { color-scheme: dark; }
.scroll { overflow-x: auto; margin: 1em 0; }
th, td { width: auto; white-space: nowrap; }
td.words { white-space: normal; min-width: 14em; }
</style>
<title>warplens: tuning</title>
</head>
<body>
<main>
<h1>${escaped(outcome?.kernel ?? '')} for ${escaped(outcome?.shape ?? '')}</h1>
<p>${sentence(title ?? '')}</p>
<p class="quiet">For ${escaped(outcome?.gpu ?? '')}. ${
    isOfTriton ? 'All figures are estimates: nothing was compiled or run.' : 'Cycles are predicted from the compiled code; nothing was run.'
  }</p>
${why}
${fields}
<div class="scroll">
<table>
<thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead>
<tbody>
${shown.map((row) => (isOfTriton ? estimatedLine(row, values, best) : line(row, values))).join('\n')}
</tbody>
</table>
</div>
${rows.length > shown.length ? `<p class="quiet">${rows.length - shown.length} more</p>` : ''}
${picture}
</main>
</body>
</html>`;
}

const HEADS = ['cycles', 'µs', 'times as fast', 'registers', 'shared', 'occupancy', 'waves', 'limited by', 'why'];
const TRITON_HEADS = ['~µs', 'times the best', '~registers', 'shared', 'occupancy', 'waves', 'limited by', 'why'];

/** The table row of a configuration of a Triton kernel. */
function estimatedLine(row: Row, values: Values, best: Row | undefined): string {
  const name = values.cells(row);
  const time = row.problem === null ? row.estimated_microseconds : null;
  if (time === null) {
    return `<tr>${name}<td class="words" colspan="${TRITON_HEADS.length}">${sentence(row.problem ?? 'time unknown')}</td></tr>`;
  }
  const figure = (value: number | null, digits: number): string => (value === null ? '' : value.toFixed(digits));
  const cells = [
    figure(time, 2),
    figure(time / (best?.estimated_microseconds ?? time), 2),
    figure(row.registers, 0),
    figure(row.shared, 0),
    row.occupancy === null ? '' : `${(100 * row.occupancy).toFixed(0)} %`,
    figure(row.waves, 2),
    escaped(row.limiter ?? ''),
  ];
  return `<tr>${name}${cells.map((cell) => `<td class="number">${cell}</td>`).join('')}<td class="words">${sentence(row.why)}</td></tr>`;
}

function line(row: Row, values: Values): string {
  const name = values.cells(row);
  if (row.cycles === null) {
    return `<tr>${name}<td class="words" colspan="${HEADS.length}">${sentence(row.problem ?? 'cycles unknown')}</td></tr>`;
  }
  const figure = (value: number | null, digits: number): string => (value === null ? '' : value.toFixed(digits));
  const cells = [
    Math.round(row.cycles).toLocaleString('en'),
    figure(row.microseconds, 1),
    figure(row.times_as_fast, 2),
    figure(row.registers, 0),
    figure(row.shared, 0),
    row.occupancy === null ? '' : `${(100 * row.occupancy).toFixed(0)} %`,
    figure(row.waves, 2),
    escaped(row.limiter ?? ''),
  ];
  return `<tr>${name}${cells.map((cell) => `<td class="number">${cell}</td>`).join('')}<td class="words">${sentence(row.why)}</td></tr>`;
}

/** Returns a sentence of the server as HTML. Text between backticks becomes code. */
function sentence(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
