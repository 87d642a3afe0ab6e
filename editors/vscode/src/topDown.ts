/** The view "Top-Down Tree": where the issue slots of a measured launch went, down to single instructions, with advice. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import type { Server } from './server';

interface Place {
  address: number;
  text: string | null;
  file: string | null;
  line: number | null;
  share: number;
}

interface Advice {
  code: string;
  text: string;
  /** The expected gain and its reasons, in words. */
  sentence: string;
  removes: number;
  /** The expected speedup of the launch; null if it is not known. */
  gain: { times: number; is_bound: boolean } | null;
}

interface Fact {
  title: string;
  value: number;
  unit: string;
  source: string;
}

interface Node {
  name: string;
  title: string;
  share: number;
  of_stalls: number;
  of_cycles: number | null;
  facts: Fact[];
  children: Node[];
  places: Place[];
  advice: Advice[];
}

export interface TopDown {
  kernel: string;
  title: string;
  tree: { root: Node; basis: string; gpu: string; figures: Fact[] };
  svg: string;
}

/** A row of the view. */
type Row =
  | { is: 'node'; node: Node; depth: number }
  | { is: 'advice'; advice: Advice }
  | { is: 'place'; place: Place; kernel: string }
  | { is: 'facts'; facts: Fact[] }
  | { is: 'fact'; fact: Fact };

/** Nodes below this share of all stalls are left out. */
const LEAST = 0.01;
const MOST_PLACES = 12;

/** The colours of the editor's theme. They override those of the picture, which support only light and dark. */
const COLOURS = `
body svg text { fill: var(--vscode-editor-foreground) }
body svg .page { fill: var(--vscode-editor-background) }
body svg .box { fill: var(--vscode-editorWidget-background); stroke: var(--vscode-descriptionForeground) }
body svg .heat { fill: var(--vscode-charts-red) }
body svg .advice { fill: var(--vscode-editorWidget-background); stroke: var(--vscode-charts-green) }
body svg { height: auto; flex: none }
body svg .edge { stroke: var(--vscode-descriptionForeground) }
body { padding-top: 36px }
.zoom { position: fixed; top: 0; left: 0; right: 0; padding: 4px 20px; display: flex; gap: 4px; align-items: center; background: var(--vscode-editor-background) }
.zoom button { min-width: 28px; padding: 2px 6px; border: 1px solid var(--vscode-button-border, transparent); cursor: pointer;
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); font: inherit }
.zoom button:hover { background: var(--vscode-button-secondaryHoverBackground) }`;

export class TopDownView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly parts: vscode.Disposable;
  private shown: TopDown | undefined;
  private kernel: string | undefined;
  private panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly server: Server,
    private readonly extension: vscode.Uri,
  ) {
    this.view = vscode.window.createTreeView<Row>('warplens.topDown', { treeDataProvider: this, showCollapseAll: true });
    this.parts = vscode.Disposable.from(
      this.changed,
      this.view,
      server.onDidChangeProfiles(() => void this.update()),
    );
  }

  dispose(): void {
    this.panel?.dispose();
    this.parts.dispose();
  }

  /** Shows the tree of a kernel. If the profiles contain several kernels, the user chooses one. */
  async show(): Promise<void> {
    const answer = await this.server.ask<{ launches: { kernel: string; isChosen: boolean; title: string }[] }>('warplens/profiledLaunches', {});
    const launches = (answer?.launches ?? []).filter(({ isChosen }) => isChosen);
    if (launches.length === 0) {
      void vscode.window.showInformationMessage('warplens: no profile is attached.');
      return;
    }
    const rows = launches.map(({ kernel, title }) => ({ label: title, kernel }));
    const chosen = rows.length === 1 ? rows[0] : await vscode.window.showQuickPick(rows, { title: 'The kernel whose tree to show' });
    if (chosen) {
      this.kernel = chosen.kernel;
      await this.update();
      await vscode.commands.executeCommand('warplens.topDown.focus');
    }
  }

  /** Opens a picture of the current tree. */
  async draw(): Promise<void> {
    if (!this.shown) {
      await this.show();
    }
    if (!this.shown) {
      return;
    }
    this.panel ??= this.createPanel();
    this.panel.reveal(undefined, true);
    this.paint();
  }

  /** Moves the cursor to the instruction or the source line of a place. */
  async goTo(place: Place, kernel: string): Promise<void> {
    const parameters = { kernel, address: place.address };
    const found = await this.server.ask<{ uri: string; range: { start: { line: number; character: number } } }>('warplens/profiledPlace', parameters);
    if (found) {
      const at = new vscode.Position(found.range.start.line, found.range.start.character);
      await vscode.window.showTextDocument(uriConverters.protocol2Code(found.uri), { selection: new vscode.Range(at, at) });
    } else {
      void vscode.window.showInformationMessage('warplens: no open document contains this instruction.');
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    switch (row.is) {
      case 'node': {
        const { node, depth } = row;
        const item = new vscode.TreeItem(depth === 2 ? node.name : node.title, depth < 2 ? Expanded : Collapsed);
        const own = depth === 2 ? `  ${node.title}` : '';
        item.description = depth === 0 ? rootWords(node) : `${percent(node.of_stalls)}${own}`;
        item.tooltip = node.facts.map(factWords).join('\n');
        return item;
      }
      case 'advice': {
        const item = new vscode.TreeItem(row.advice.code, None);
        item.description = gainWords(row.advice) + row.advice.text;
        item.tooltip = `${row.advice.text}\n${row.advice.sentence}`;
        item.iconPath = new vscode.ThemeIcon('lightbulb');
        item.command = { command: 'warplens.explainRule', title: 'Explain', arguments: [row.advice.code] };
        return item;
      }
      case 'place': {
        const { place, kernel } = row;
        const item = new vscode.TreeItem(place.text ?? `0x${place.address.toString(16)}`, None);
        const line = place.file && place.line ? `  ${place.file.split(/[\\/]/).pop()}:${place.line}` : '';
        item.description = `${percent(place.share)} at 0x${place.address.toString(16)}${line}`;
        item.command = { command: 'warplens.goToProfiled', title: 'Go to the Instruction', arguments: [place, kernel] };
        item.iconPath = new vscode.ThemeIcon('arrow-right');
        return item;
      }
      case 'facts': {
        const item = new vscode.TreeItem('figures', Collapsed);
        item.iconPath = new vscode.ThemeIcon('info');
        return item;
      }
      default: {
        const item = new vscode.TreeItem(row.fact.title, None);
        item.description = factValue(row.fact);
        item.tooltip = `From ${row.fact.source}`;
        return item;
      }
    }
  }

  getChildren(row?: Row): Row[] {
    if (!this.shown) {
      return [];
    }
    const { tree, kernel } = this.shown;
    if (!row) {
      const best = bestAdvice(tree.root);
      return [...(best ? [{ is: 'advice', advice: best } as Row] : []), { is: 'node', node: tree.root, depth: 0 }];
    }
    if (row.is === 'facts') {
      return row.facts.map((fact) => ({ is: 'fact', fact }));
    }
    if (row.is !== 'node') {
      return [];
    }
    const { node, depth } = row;
    const facts = depth === 0 ? [...node.facts, ...tree.figures] : node.facts;
    return [
      ...node.advice.map((advice): Row => ({ is: 'advice', advice })),
      ...node.children.filter((child) => child.of_stalls >= LEAST).map((child): Row => ({ is: 'node', node: child, depth: depth + 1 })),
      ...node.places.slice(0, MOST_PLACES).map((place): Row => ({ is: 'place', place, kernel })),
      ...(facts.length > 0 ? [{ is: 'facts', facts } as Row] : []),
    ];
  }

  private async update(): Promise<void> {
    const answer = async (kernel: string | undefined): Promise<TopDown | undefined> =>
      this.server.profiles.length > 0 ? this.server.ask<TopDown>('warplens/topDown', { kernel: kernel ?? null }) : undefined;
    // The profiles may have changed, and may not contain the kernel any more.
    this.shown = (await answer(this.kernel)) ?? (await answer(undefined));
    this.view.description = this.shown?.title ?? '';
    this.changed.fire();
    this.paint();
  }

  private createPanel(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      'warplens.topDownPicture',
      'warplens: top-down tree',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [this.media()] },
    );
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  private media(): vscode.Uri {
    return vscode.Uri.joinPath(this.extension, 'media');
  }

  private paint(): void {
    if (this.panel) {
      const { webview } = this.panel;
      const nothing = '<p>No profile with stall reasons is attached.</p>';
      const nonce = randomBytes(16).toString('base64');
      const script = webview.asWebviewUri(vscode.Uri.joinPath(this.media(), 'zoom.js')).toString();
      // Only the extension's script may run. The picture comes from the server, which escapes all texts.
      webview.html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">
<style>${COLOURS}</style>
<title>warplens: top-down tree</title></head><body>${this.shown?.svg ?? nothing}
<script nonce="${nonce}" src="${script}"></script></body></html>`;
    }
  }
}

/** The advice with the largest gain in a tree; undefined if no gain is known. */
function bestAdvice(root: Node): Advice | undefined {
  const all = [...root.advice, ...root.children.map(bestAdvice)].filter((advice) => advice?.gain);
  return all.sort((one, other) => (other?.gain?.times ?? 0) - (one?.gain?.times ?? 0))[0];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Returns `up to 2.3x: `, or an empty string if the gain is not known. */
function gainWords({ gain }: Advice): string {
  return gain === null ? '' : `${gain.is_bound ? 'up to' : 'about'} ${gain.times.toFixed(gain.times < 10 ? 1 : 0)}x: `;
}

function rootWords(node: Node): string {
  return node.of_cycles === null ? '' : percent(node.of_cycles);
}

function factValue({ value, unit }: Fact): string {
  const number = Number.isInteger(value) || Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
  return unit === '' ? number : `${number} ${unit}${unit === '%' || number === '1' ? '' : 's'}`;
}

function factWords(fact: Fact): string {
  return `${fact.title}: ${factValue(fact)} (${fact.source})`;
}
