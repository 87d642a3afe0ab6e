/** A view of a source: what it is compiled to, under a name of its own, which says of which source it is. */

import * as vscode from 'vscode';
import type { MappedFunction } from './lineMap';

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

/** What would bring a text, as a button. */
export const REMEDIES = {
  trust: { title: 'Manage Trust', command: 'workbench.trust.manage', argument: undefined },
  ptxas: { title: 'Set ptxas', command: 'workbench.action.openSettings', argument: 'warplens.ptxas.path' },
  nvcc: { title: 'Set nvcc', command: 'workbench.action.openSettings', argument: 'warplens.nvcc.path' },
  clang: { title: 'Set clang', command: 'workbench.action.openSettings', argument: 'warplens.clang.path' },
  disassembler: { title: 'Set the Disassembler', command: 'workbench.action.openSettings', argument: 'warplens.disassembler' },
  text: { title: 'Show Problems', command: 'workbench.actions.view.problems', argument: undefined },
};

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
