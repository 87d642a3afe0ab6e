/** The language status items: the GPU in use, what the server is doing, and the compiler that is missing. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { CUDA_SELECTOR, isServed, servedSelector } from './languages';
import type { Condition, Server } from './server';

/** Delay after the last change before the GPU is requested again, in ms. */
const REST_MS = 500;

/** The text, detail, severity and busy flag of the server's item. */
function words(condition: Condition, version: string): [string, string, vscode.LanguageStatusSeverity, boolean] {
  const { Information, Warning, Error } = vscode.LanguageStatusSeverity;
  switch (condition.is) {
    case 'running':
      return [`Language server: ${version}`, '', Information, false];
    case 'busy':
      return [`Language server: ${version}`, 'working', Information, true];
    case 'starting':
      return ['Language server: starting', '', Information, true];
    case 'off':
      return ['Language server: off', 'the server is not running', Warning, false];
    case 'troubled':
      return ['Language server: has a problem', condition.why, Warning, false];
    case 'failed':
      return ['Language server: failed', condition.why, Error, false];
  }
}

/** The item that names the missing compiler, for as long as the server reports one. */
class CompilerItem implements vscode.Disposable {
  private item: vscode.LanguageStatusItem | undefined;

  show(condition: Condition): void {
    const note = 'note' in condition ? condition.note : undefined;
    if (note === undefined) {
      this.dispose();
      return;
    }
    this.item ??= vscode.languages.createLanguageStatusItem('warplens.compiler', CUDA_SELECTOR);
    this.item.name = 'CUDA Compiler';
    // `no nvcc found: figures are estimated from the source. Install …`: the item shows the first sentence, and its button the
    // remedy.
    const [, what, why] = /^(no \w+ found): ([^.]*)/.exec(note) ?? [];
    this.item.text = what === undefined ? 'CUDA is not compiled' : what.replace(/^n/, 'N');
    this.item.detail = why ?? note;
    this.item.command = { command: 'warplens.openPathSetting', title: 'Set nvcc', arguments: ['warplens.nvcc.path'] };
  }

  dispose(): void {
    this.item?.dispose();
    this.item = undefined;
  }
}

/** Returns `H100 SXM5` for `H100 SXM5 80 GB`, because the status bar has little room. */
function withoutMemory(part: string): string {
  return part.replace(/ \d+ GB\b.*$/, '');
}

export function showStatus(server: Server): vscode.Disposable {
  const state = vscode.languages.createLanguageStatusItem('warplens.server', servedSelector());
  state.name = 'warplens server';
  const gpu = vscode.languages.createLanguageStatusItem('warplens.gpu', servedSelector());
  gpu.name = 'GPU';
  gpu.command = { command: 'warplens.selectGpu', title: 'Change' };

  const compiler = new CompilerItem();

  const bar = vscode.window.createStatusBarItem('warplens.gpu', vscode.StatusBarAlignment.Right, 100.5);
  bar.name = 'GPU and Model of the Predictions';
  bar.command = 'warplens.selectGpu';

  let timer: NodeJS.Timeout | undefined;
  const askForGpu = async (): Promise<void> => {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !isServed(document)) {
      bar.hide();
      return;
    }
    const answer = await server.ask<{ gpu: string; model?: string | null }>('warplens/gpu', { uri: uriConverters.code2Protocol(document.uri) });
    if (vscode.window.activeTextEditor?.document !== document) {
      return;
    }
    // `H100 SXM5 (assumed: the file names sm_90)`: the GPU is the text, and the reason is the detail.
    const [, part = '', reason = ''] = /^(.*?)(?: \((.*)\))?$/.exec(answer?.gpu ?? '') ?? [];
    gpu.text = part === '' ? 'GPU: unknown' : part;
    gpu.detail = reason;
    if (part === '') {
      bar.hide();
    } else {
      const model = answer?.model ?? '';
      bar.text = `$(circuit-board) ${withoutMemory(part)}${model === '' ? '' : ` · ${model}`}`;
      bar.tooltip = `${part}${reason === '' ? '' : ` (${reason})`}${model === '' ? '' : `, ${model} model`}. Click to select another GPU.`;
      bar.show();
    }
  };
  const askSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void askForGpu(), REST_MS);
  };
  const show = (condition: Condition): void => {
    [state.text, state.detail, state.severity, state.busy] = words(condition, server.program?.version ?? '');
    compiler.show(condition);
    state.command = ['failed', 'off', 'troubled'].includes(condition.is)
      ? { command: 'warplens.restart', title: 'Restart' }
      : { command: 'warplens.showLog', title: 'Log' };
    askSoon();
  };
  show(server.condition);
  return vscode.Disposable.from(
    state,
    gpu,
    compiler,
    bar,
    server.onDidChange(show),
    vscode.window.onDidChangeActiveTextEditor(askSoon),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document && isServed(document)) {
        askSoon();
      }
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('warplens')) {
        state.selector = servedSelector();
        gpu.selector = servedSelector();
        askSoon();
      }
    }),
    new vscode.Disposable(() => clearTimeout(timer)),
  );
}
