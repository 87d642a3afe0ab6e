/** A view of a source: what it is compiled to, under a name of its own, which says of which source it is. */

import * as vscode from 'vscode';
import type { MappedFunction } from './lineMap';
import { isPathRemote, openPathSetting } from './setting';

export type Kind = 'sass' | 'ptx';

interface Traits {
  /** `warplens-sass:/folder/k.cu.nvsass?file` is the view of `file:/folder/k.cu`; the ending gives it its language. */
  scheme: string;
  ending: string;
  title: string;
  method: string;
  /** What the server says of itself where it can make such a view. */
  ability: 'showSass' | 'showPtx';
  /** The languages that it can be made of, by the editor's ids. */
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

/** What the server answers. */
export interface Answer {
  /** That of the source. */
  version: number;
  text: string | null;
  /** Why there is no text. */
  reason: string | null;
  remedy: Remedy | null;
  lines: [number, number][];
  functions: MappedFunction[];
}

export type Remedy = 'trust' | 'ptxas' | 'nvcc' | 'clang' | 'disassembler' | 'text';

/** What would bring a text, as a button: a command, or the setting of a path. */
export const REMEDIES: Record<Remedy, { title: string; command?: string; setting?: string }> = {
  trust: { title: 'Manage Trust', command: 'workbench.trust.manage' },
  ptxas: { title: 'Set ptxas', setting: 'warplens.ptxas.path' },
  nvcc: { title: 'Set nvcc', setting: 'warplens.nvcc.path' },
  clang: { title: 'Set clang', setting: 'warplens.clang.path' },
  disassembler: { title: 'Set the Disassembler', setting: 'warplens.disassembler' },
  text: { title: 'Show Problems', command: 'workbench.actions.view.problems' },
};

/** Says why something is missing, with the button of what would bring it. */
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

/** The source that a view is of; any other document is its own. */
export function sourceOf(document: vscode.Uri): vscode.Uri {
  const kind = kindOf(document);
  if (!kind) {
    return document;
  }
  return document.with({ scheme: document.query, path: document.path.slice(0, -KINDS[kind].ending.length), query: '' });
}
