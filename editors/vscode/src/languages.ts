/** The languages that the server reads. */

import * as vscode from 'vscode';

/** Languages that no other server handles. */
const LANGUAGES = ['nvsass', 'ptx'];

/**
 * Languages that other servers handle too, with their names in the setting `leaveAlone`. The server itself registers for their
 * documents, and only for requests that show costs. Here they only start the server.
 */
const SHARED: Record<string, string> = { 'cuda-cpp': 'cuda', cuda: 'cuda' };

/**
 * Languages whose costs come only from the code of a build. They start the server if a `warplens.toml` exists, which may name
 * such code.
 */
const SOURCES: Record<string, string> = { c: 'c++', cpp: 'c++', python: 'python', julia: 'julia', rust: 'rust', mojo: 'mojo' };

let hasProject = false;

/** Looks for a `warplens.toml` at the top of each folder. Returns true if there is one now and there was none before. */
export async function findProject(): Promise<boolean> {
  const before = hasProject;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const files = await Promise.all(
    folders.map((folder) => vscode.workspace.findFiles(new vscode.RelativePattern(folder, 'warplens.toml'), null, 1)),
  );
  hasProject = files.some((found) => found.length > 0);
  return hasProject && !before;
}

/** All documents of the server's own languages. */
export const SELECTOR = LANGUAGES.map((language) => ({ language }));

/** All documents of CUDA. */
export const CUDA_SELECTOR = Object.keys(SHARED).map((language) => ({ language }));

/** Whether the document is a `warplens.toml`, in any language mode. The server itself registers for it. */
export function isLaunchFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && document.uri.path.endsWith('/warplens.toml');
}

/** Whether no other server handles the document. */
export function isOurs(document: vscode.TextDocument): boolean {
  return LANGUAGES.includes(document.languageId);
}

/** The languages that other servers handle too, without those in the setting `leaveAlone`. */
function shared(): string[] {
  const alone = vscode.workspace.getConfiguration('warplens').get<string[]>('leaveAlone', []);
  const all = hasProject ? { ...SHARED, ...SOURCES } : SHARED;
  return Object.keys(all).filter((language) => !alone.includes(all[language] ?? ''));
}

/** Selector of all documents that the server handles. */
export function servedSelector(): vscode.DocumentFilter[] {
  return [...LANGUAGES, ...shared()].map((language) => ({ language }));
}

/** Whether the server handles the document. */
export function isServed(document: vscode.TextDocument): boolean {
  return isOurs(document) || shared().includes(document.languageId);
}
