/** The languages that the server reads. */

import * as vscode from 'vscode';

/** Its own. */
const LANGUAGES = ['nvsass', 'ptx'];

/**
 * Those that other servers serve, by the names that the setting `leaveAlone` has for them. The server itself asks for their
 * documents, and for what shows costs alone; here they start it.
 */
const SHARED: Record<string, string> = { 'cuda-cpp': 'cuda', cuda: 'cuda' };

/** Those of which only the code of a build tells: they start the server where a `warplens.toml` may name such code. */
const SOURCES: Record<string, string> = { c: 'c++', cpp: 'c++', python: 'python', julia: 'julia', rust: 'rust', mojo: 'mojo' };

let hasProject = false;

/** Looks for a `warplens.toml` at the top of a folder; true where there is one and none was known of. */
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

/** Whether the document is a `warplens.toml`, in whichever language the editor has it. The server itself asks for it. */
export function isLaunchFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && document.uri.path.endsWith('/warplens.toml');
}

/** Whether the server alone serves the document. */
export function isOurs(document: vscode.TextDocument): boolean {
  return LANGUAGES.includes(document.languageId);
}

/** The languages that others serve and that are not left alone. */
function shared(): string[] {
  const alone = vscode.workspace.getConfiguration('warplens').get<string[]>('leaveAlone', []);
  const all = hasProject ? { ...SHARED, ...SOURCES } : SHARED;
  return Object.keys(all).filter((language) => !alone.includes(all[language] ?? ''));
}

/** All documents that the server has something to say of. */
export function servedSelector(): vscode.DocumentFilter[] {
  return [...LANGUAGES, ...shared()].map((language) => ({ language }));
}

/** Whether the server has something to say of the document. */
export function isServed(document: vscode.TextDocument): boolean {
  return isOurs(document) || shared().includes(document.languageId);
}
