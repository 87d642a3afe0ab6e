/** "Pin This Version" and "Compare": the compiled code of two versions of a source in the diff editor, with their figures. */

import { posix } from 'node:path';
import * as vscode from 'vscode';
import { uriConverters } from './binary';
import type { Server } from './server';
import { Texts } from './texts';

/**
 * URI scheme of compared code: `warplens-code:/folder/k.cu.nvsass-compared?before` contains the instructions of the pinned
 * version of `k.cu`. The text is not a listing: the language of the suffix `.nvsass-compared` is highlighted as SASS, but not
 * sent to the server.
 */
const SCHEME = 'warplens-code';

interface Figures {
  instructions: number;
  registers: number;
  shared: number;
  occupancy: string;
  cycles_in_words: string;
}

/** Response of `warplens/compareCode`. */
interface Answer {
  reason: string | null;
  pinned: number | null;
  version: number;
  comparison: {
    before: string;
    after: string;
    kernels: { name: string; before: Figures | null; after: Figures | null }[];
    lines: { line_after: number | null; instructions_before: number; instructions_after: number }[];
  } | null;
}

export class Comparison implements vscode.Disposable {
  private readonly texts = new Texts(SCHEME);

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.texts.dispose();
  }

  /** Pins the compiled code of the active document for later comparisons. */
  async pin(): Promise<void> {
    const answer = await this.ask<{ version: number | null; reason: string | null }>('warplens/pinCode');
    if (answer?.reason) {
      void vscode.window.showWarningMessage(`warplens: ${answer.reason}.`);
    } else if (answer) {
      vscode.window.setStatusBarMessage('warplens: the code of this version is pinned', 4000);
    }
  }

  /** Opens a diff of the pinned and the current code of the active document. */
  async show(): Promise<void> {
    const source = vscode.window.activeTextEditor?.document.uri;
    const answer = await this.ask<Answer>('warplens/compareCode');
    if (!source || !answer) {
      return;
    }
    if (!answer.comparison) {
      void vscode.window.showWarningMessage(`warplens: ${answer.reason ?? 'nothing to compare'}.`);
      return;
    }
    const { before, after, kernels } = answer.comparison;
    const put = (side: string, text: string): vscode.Uri => {
      const uri = source.with({ scheme: SCHEME, path: `${source.path}.nvsass-compared`, query: side });
      this.texts.set(uri, text);
      return uri;
    };
    const head = (side: 'before' | 'after'): string => kernels.map((kernel) => figures(kernel.name, kernel[side])).join('');
    const [left, right] = [put('before', head('before') + before), put('after', head('after') + after)];
    const title = `${posix.basename(source.path)}: pinned ↔ now`;
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  private async ask<T>(method: string): Promise<T | undefined> {
    const document = vscode.window.activeTextEditor?.document;
    const { client } = this.server;
    if (!document || !client) {
      void vscode.window.showInformationMessage('warplens: open a source that has compiled code first.');
      return undefined;
    }
    try {
      return await client.sendRequest<T>(method, { textDocument: { uri: uriConverters.code2Protocol(document.uri) } });
    } catch (error) {
      void vscode.window.showErrorMessage(`warplens: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

/** Returns comment lines with the resources and the cycles of a kernel. */
function figures(name: string, of: Figures | null): string {
  if (!of) {
    return `// ${name}: not in this version\n`;
  }
  const { instructions, registers, shared, occupancy, cycles_in_words } = of;
  const takes = `${instructions} instructions, ${registers} registers, ${shared} B shared`;
  // The lines are short because each version gets half of the window.
  return `// ${name}\n//   ${takes}\n//   ${cycles_in_words}, occupancy ${occupancy}\n`;
}
