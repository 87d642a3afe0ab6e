/** Views of a source: virtual documents with the code that it is compiled to, whose URIs contain that of the source. */

import * as vscode from 'vscode';
import type { MappedFunction } from './lineMap';
import { isPathRemote, openPathSetting } from './setting';

export type Kind = 'sass' | 'ptx';

interface Traits {
  /** `warplens-sass:/folder/k.cu.nvsass?file` is the view of `file:/folder/k.cu`. The suffix sets the language. */
  scheme: string;
  ending: string;
  title: string;
  method: string;
  /** The experimental capability of servers that can make such a view. */
  ability: 'showSass' | 'showPtx';
  /** Language ids of the sources that it can be made from. */
  sources: Set<string>;
}

const CUDA = ['cuda-cpp', 'cuda'];

export const KINDS: Record<Kind, Traits> = {
  sass: {
    scheme: 'warplens-sass',
    ending: '.nvsass',
    title: 'SASS',
    method: 'warplens/showSass',
    ability: 'showSass',
    sources: new Set([...CUDA, 'ptx', 'c', 'cpp', 'python', 'julia', 'rust', 'mojo']),
  },
  ptx: {
    scheme: 'warplens-ptx',
    ending: '.ptx',
    title: 'PTX',
    method: 'warplens/showPtx',
    ability: 'showPtx',
    sources: new Set(CUDA),
  },
};

/** Response of the requests for views. */
export interface Answer {
  /** Version of the source. */
  version: number;
  text: string | null;
  /** Why there is no text; null if there is one. */
  reason: string | null;
  remedy: Remedy | null;
  lines: [number, number][];
  functions: MappedFunction[];
}

export type Remedy = 'trust' | 'ptxas' | 'nvcc' | 'clang' | 'disassembler' | 'text';

/** The buttons for what is missing: each runs a command or opens the setting of a path. */
export const REMEDIES: Record<Remedy, { title: string; command?: string; setting?: string }> = {
  trust: { title: 'Manage Trust', command: 'workbench.trust.manage' },
  ptxas: { title: 'Set ptxas', setting: 'warplens.ptxas.path' },
  nvcc: { title: 'Set nvcc', setting: 'warplens.nvcc.path' },
  clang: { title: 'Set clang', setting: 'warplens.clang.path' },
  disassembler: { title: 'Set the Disassembler', setting: 'warplens.disassembler' },
  text: { title: 'Show Problems', command: 'workbench.actions.view.problems' },
};

/** Shows a warning that says why something is missing, with a button for the remedy. */
export async function explain(why: string, remedy: Remedy | null): Promise<void> {
  const button = remedy ? REMEDIES[remedy] : undefined;
  const where = button?.setting !== undefined && isPathRemote() ? ' Set it in the Remote settings.' : '';
  const answer = await vscode.window.showWarningMessage(`${why}.${where}`, ...(button ? [button] : []));
  if (answer?.setting !== undefined) {
    await openPathSetting(answer.setting);
  } else if (answer?.command !== undefined) {
    await vscode.commands.executeCommand(answer.command);
  }
}

/** The kind of a view; undefined for any other document. */
export function kindOf(document: vscode.Uri): Kind | undefined {
  return (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind].scheme === document.scheme);
}

export function viewOf(source: vscode.Uri, kind: Kind): vscode.Uri {
  const { scheme, ending } = KINDS[kind];
  return source.with({ scheme, path: source.path + ending, query: source.scheme });
}

/** The source of a view. Any other document is returned unchanged. */
export function sourceOf(document: vscode.Uri): vscode.Uri {
  const kind = kindOf(document);
  if (!kind) {
    return document;
  }
  return document.with({ scheme: document.query, path: document.path.slice(0, -KINDS[kind].ending.length), query: '' });
}
