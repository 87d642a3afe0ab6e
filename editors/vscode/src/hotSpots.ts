/** The commands that go to the next and the previous hot spot, and that list the hottest lines. */

import * as vscode from 'vscode';
import { encodingStart } from './encodingLines';
import { heatOf, type Heated, type LineHeat } from './heat';
import { hotSpot, hottest } from './hottest';
import { isServed } from './languages';
import type { Server } from './server';

const MOST_LISTED = 10;
const SHOWN_MS = 6000;

export async function goToHotSpot(server: Server, isForward: boolean): Promise<void> {
  const heated = await heatInView(server);
  if (heated) {
    const { editor, lines } = heated;
    const spot = hotSpot(lines, editor.selection.active.line, isForward);
    if (spot) {
      goToLine(editor, spot);
    }
  }
}

export async function showHottest(server: Server): Promise<void> {
  const heated = await heatInView(server);
  if (!heated) {
    return;
  }
  const { editor, lines, source, isMeasured } = heated;
  const rows = hottest(lines, MOST_LISTED).map((spot) => ({
    label: `${(100 * spot.share).toFixed(1)} %`,
    description: `${spot.line + 1}: ${withoutEncoding(editor.document.lineAt(spot.line).text)}`,
    // The label already contains the share.
    detail: `${(spot.words ?? '').replace(/^[\d.]+ % /, '')}${spot.isStale ? ' (changed since it was measured)' : ''}`.trim(),
    spot,
  }));
  const title = titleOf(isMeasured === false ? 'predicted' : 'measured', source);
  const chosen = await vscode.window.showQuickPick(rows, { title, matchOnDescription: true, matchOnDetail: true });
  if (chosen) {
    goToLine(editor, chosen.spot);
  }
}

/**
 * The title of the list. The source of predicted shares already begins with `predicted`: `predicted for an assumed launch (…)`.
 */
function titleOf(how: string, source: string | undefined): string {
  const words = source === undefined ? how : source.startsWith(how) ? source : `${how}: ${source}`;
  return `The hottest lines, ${words}`;
}

/** Requests the heat of the active document. Without heat, shows a message and returns undefined. */
async function heatInView(server: Server): Promise<(Heated & { editor: vscode.TextEditor }) | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isServed(editor.document)) {
    void vscode.window.showInformationMessage('warplens: open a listing, PTX or CUDA first.');
    return undefined;
  }
  const heated = await heatOf(server, editor);
  const lines = (heated?.lines ?? []).filter(({ line }) => line < editor.document.lineCount);
  if (lines.length === 0) {
    void vscode.window.showInformationMessage('warplens: neither a profile nor a prediction is available for this file.');
    return undefined;
  }
  return { ...heated, lines, editor };
}

export function goToLine(editor: vscode.TextEditor, { line, words }: LineHeat): void {
  const start = new vscode.Position(line, editor.document.lineAt(line).firstNonWhitespaceCharacterIndex);
  const selection = new vscode.Range(start, start);
  void vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active, selection });
  if (words !== undefined) {
    vscode.window.setStatusBarMessage(`$(flame) ${words}`, SHOWN_MS);
  }
}

/** The text of a line for the list: without its encoding, and with single spaces. */
function withoutEncoding(text: string): string {
  return text.slice(0, encodingStart(text)).replace(/\s+/g, ' ').trim();
}
