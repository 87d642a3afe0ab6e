/** Copies of instructions in another assembler's notation. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import type { Server } from './server';

/** The assemblers by the server's names for them, and by their users'. */
const NAMES: Record<string, string> = { maxas: 'maxas', turingas: 'TuringAs', kepleras: 'KeplerAs', cuassembler: 'CuAssembler' };

/** What `warplens/copyAs` answers. */
interface Answer {
  /** Those that fit the architecture. */
  assemblers: string[];
  copied: { text: string; assembler: string; instructions: number } | null;
  /** One line: why there is nothing to copy. */
  refused: string | null;
}

/** The lines that are selected, whole; the empty range at the cursor, which stands for its kernel, where none are. */
function linesOf({ document, selection }: vscode.TextEditor): vscode.Range {
  return selection.isEmpty ? selection : new vscode.Range(selection.start.with({ character: 0 }), document.lineAt(selection.end).range.end);
}

/** Copies what is selected, or the kernel at the cursor, as the assembler has it; asks for which where none is named. */
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
