/** Synchronises a source with its views: corresponding lines are highlighted, shown level, and given the same background. */

import * as vscode from 'vscode';
import type { LineMap } from './lineMap';
import { kindOf, sourceOf } from './view';

/** Time in ms for which a pane that was scrolled to follow another does not scroll that one back. */
const QUIET_MS = 250;
/** Colours of corresponding lines, which the manifest defines. */
const BLOCKS = ['warplens.block1', 'warplens.block2', 'warplens.block3', 'warplens.block4', 'warplens.block5', 'warplens.block6'];

/** An editor in view of a source or of one of its views. */
interface Pane {
  editor: vscode.TextEditor;
  /** The line map of a view; undefined for the source. */
  map: LineMap | undefined;
}

export class Step implements vscode.Disposable {
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.wordHighlightForeground'),
  });
  private readonly blocks = BLOCKS.map((name) =>
    vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor(name) }),
  );
  private readonly quietUntil = new WeakMap<vscode.TextEditor, number>();
  private readonly parts: vscode.Disposable;

  /** `mapOf` returns the line map of a view, or undefined if its text is not known. */
  constructor(private readonly mapOf: (view: vscode.Uri) => LineMap | undefined) {
    const { window, workspace } = vscode;
    this.parts = vscode.Disposable.from(
      this.highlight,
      ...this.blocks,
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor, true)),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.scrolled(textEditor)),
      window.onDidChangeActiveTextEditor((editor) => editor && this.follow(editor, false)),
      window.onDidChangeVisibleTextEditors(() => this.paint()),
      workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('warplens.colourBlocks') && this.paint()),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  /**
   * Highlights in the other panes the lines that correspond to the line at the cursor. If `scrolls` is true, also reveals them.
   */
  follow(editor: vscode.TextEditor, scrolls: boolean): void {
    const [own, ...others] = this.panes(editor);
    if (!own || others.length === 0 || editor !== vscode.window.activeTextEditor) {
      return;
    }
    const line = editor.selection.active.line;
    const sources = own.map ? own.map.others('listing', line) : [line];
    // The pane of the cursor has no highlight.
    editor.setDecorations(this.highlight, []);
    for (const other of others) {
      const { map } = other;
      const lines = map ? sources.flatMap((source) => map.others('source', source)) : sources;
      other.editor.setDecorations(this.highlight, wholeLines(other.editor, lines));
      // A line that was just edited has no counterpart. The other panes do not scroll while the user types.
      const isOvertaken = own.map?.isOvertaken ?? map?.isOvertaken;
      const place = lines[0] ?? (isOvertaken ? undefined : beside(own, other, line));
      if (scrolls && place !== undefined) {
        this.reveal(other.editor, place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }

  /** The line of the editor `to` that corresponds to the cursor of `from`; undefined if no line does. */
  beside(from: vscode.TextEditor, to: vscode.TextEditor): number | undefined {
    const panes = this.panes(from);
    const [own, other] = [panes[0], panes.find(({ editor }) => editor === to)];
    return own && other && beside(own, other, from.selection.active.line);
  }

  /** Gives corresponding lines the same background, in each visible source that is shown together with one of its views. */
  paint(): void {
    const isWanted = vscode.workspace.getConfiguration('warplens').get<boolean>('colourBlocks', true);
    for (const editor of vscode.window.visibleTextEditors) {
      const [own, ...others] = this.panes(editor);
      const isAlone = !own || others.length === 0;
      if (isAlone) {
        editor.setDecorations(this.highlight, []);
      }
      const coloured = isAlone || !isWanted ? [] : blocksOf(own, others);
      this.blocks.forEach((block, colour) => {
        const lines = coloured.filter((line) => line.source % BLOCKS.length === colour).map(({ line }) => line);
        editor.setDecorations(block, wholeLines(editor, lines));
      });
    }
  }

  /**
   * Scrolls the other panes so that their counterparts are level with the line at the cursor, or with the top line if that is out
   * of view.
   */
  private scrolled(editor: vscode.TextEditor): void {
    const [own, ...others] = this.panes(editor);
    const top = editor.visibleRanges[0]?.start.line;
    const bottom = editor.visibleRanges.at(-1)?.end.line;
    if (!own || top === undefined || bottom === undefined || Date.now() < (this.quietUntil.get(editor) ?? 0)) {
      return;
    }
    const cursor = editor.selection.active.line;
    const line = top <= cursor && cursor <= bottom ? cursor : top;
    for (const other of others) {
      const place = beside(own, other, line);
      if (place !== undefined) {
        this.reveal(other.editor, Math.max(0, place - (line - top)), vscode.TextEditorRevealType.AtTop);
      }
    }
  }

  /**
   * The pane of an editor, then the visible panes that are synchronised with it. Empty if the editor is a view whose text is not
   * known.
   */
  private panes(editor: vscode.TextEditor): Pane[] {
    const source = sourceOf(editor.document.uri).toString();
    const others = vscode.window.visibleTextEditors.filter((other) => {
      const { uri } = other.document;
      return uri.toString() !== editor.document.uri.toString() && sourceOf(uri).toString() === source;
    });
    const panes = [editor, ...others].map((one) => ({ editor: one, map: this.mapOf(one.document.uri) }));
    const known = panes.filter(({ editor: { document }, map }) => map || !kindOf(document.uri));
    return known[0]?.editor === editor ? known : [];
  }

  private reveal(editor: vscode.TextEditor, line: number, how: vscode.TextEditorRevealType): void {
    this.quietUntil.set(editor, Date.now() + QUIET_MS);
    const within = Math.min(line, editor.document.lineCount - 1);
    editor.revealRange(new vscode.Range(within, 0, within, 0), how);
  }
}

function beside(from: Pane, to: Pane, line: number): number | undefined {
  const source = from.map ? from.map.beside('listing', line) : line;
  return source === undefined || !to.map ? source : to.map.beside('source', source);
}

/**
 * The lines of a pane that correspond to the source. `source` is the rank of the source line among all source lines that have
 * code.
 */
function blocksOf(own: Pane, others: Pane[]): { line: number; source: number }[] {
  const all = [own, ...others].flatMap(({ map }) => map?.sources() ?? []);
  const numbers = new Map([...new Set(all)].sort((a, b) => a - b).map((source, number) => [source, number]));
  if (!own.map) {
    return [...numbers].map(([line, source]) => ({ line, source }));
  }
  const lines = own.map.firsts();
  return lines.map(([line, source]) => ({ line, source: numbers.get(source) ?? 0 }));
}

function wholeLines(editor: vscode.TextEditor, lines: number[]): vscode.Range[] {
  const { document } = editor;
  return lines.filter((line) => line < document.lineCount).map((line) => document.lineAt(line).range);
}
