/** The languages that the server reads. */

import * as vscode from 'vscode';

/** Its own. */
const LANGUAGES = ['nvsass', 'ptx'];

/**
 * Those that other servers serve, by the names that the setting `leaveAlone` has for them. The server itself asks for their
 * documents, and for what shows costs alone; here they start it.
 */
const SHARED: Record<string, string> = { 'cuda-cpp': 'cuda', cuda: 'cuda' };

/** All documents of the server's own languages. */
export const SELECTOR = LANGUAGES.map((language) => ({ language }));

/** Whether the server alone serves the document. */
export function isOurs(document: vscode.TextDocument): boolean {
  return LANGUAGES.includes(document.languageId);
}

/** The languages that others serve and that are not left alone. */
function shared(): string[] {
  const alone = vscode.workspace.getConfiguration('warplens').get<string[]>('leaveAlone', []);
  return Object.keys(SHARED).filter((language) => !alone.includes(SHARED[language] ?? ''));
}

/** All documents that the server has something to say of. */
export function servedSelector(): vscode.DocumentFilter[] {
  return [...LANGUAGES, ...shared()].map((language) => ({ language }));
}

/** Whether the server has something to say of the document. */
export function isServed(document: vscode.TextDocument): boolean {
  return isOurs(document) || shared().includes(document.languageId);
}
