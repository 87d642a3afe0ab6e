/** Copies of instructions in another assembler's notation. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import type { Server } from './server';

/** Display names of the assemblers, by the server's names for them. */
const NAMES: Record<string, string> = { maxas: 'maxas', turingas: 'TuringAs', kepleras: 'KeplerAs', cuassembler: 'CuAssembler' };

/** Response of `warplens/copyAs`. */
interface Answer {
  /** Assemblers that support the architecture. */
  assemblers: string[];
  copied: { text: string; assembler: string; instructions: number } | null;
  /** Why nothing was copied, in one line; null on success. */
  refused: string | null;
}

/**
 * The selection, extended to whole lines. Without a selection, the empty range at the cursor, which means the kernel that
 * contains it.
 */
function linesOf({ document, selection }: vscode.TextEditor): vscode.Range {
  return selection.isEmpty ? selection : new vscode.Range(selection.start.with({ character: 0 }), document.lineAt(selection.end).range.end);
}

/**
 * Copies the selected lines, or the kernel at the cursor, in an assembler's notation. If `named` is undefined, the user picks
 * one.
 */
export async function copyAs(server: Server, named?: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'nvsass') {
    void vscode.window.showInformationMessage('warplens: open a listing and select the instructions to copy.');
    return;
  }
  const place = ({ line, character }: vscode.Position) => ({ line, character });
  const range = linesOf(editor);
  const ask = (assembler?: string): Promise<Answer | undefined> =>
    server.ask<Answer>('warplens/copyAs', {
      textDocument: { uri: uriConverters.code2Protocol(editor.document.uri) },
      range: { start: place(range.start), end: place(range.end) },
      assembler,
    });
  const assembler = named ?? (await choose((await ask())?.assemblers ?? []));
  if (assembler === undefined) {
    return;
  }
  const answer = await ask(assembler);
  if (answer?.copied) {
    await vscode.env.clipboard.writeText(answer.copied.text);
    const { instructions } = answer.copied;
    const what = instructions === 1 ? '1 instruction' : `${instructions} instructions`;
    vscode.window.setStatusBarMessage(`Copied ${what} as ${answer.copied.assembler}`, 5000);
  } else {
    void vscode.window.showWarningMessage(`warplens: ${answer?.refused ?? 'the server is not running or cannot copy instructions'}.`);
  }
}

async function choose(assemblers: string[]): Promise<string | undefined> {
  if (assemblers.length === 0) {
    void vscode.window.showInformationMessage('warplens: there is no instruction to copy here.');
    return undefined;
  }
  const choices = assemblers.map((assembler) => ({ label: NAMES[assembler] ?? assembler, assembler }));
  return (await vscode.window.showQuickPick(choices, { title: 'Copy as' }))?.assembler;
}
