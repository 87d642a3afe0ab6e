/** The languages that the server reads. */

import type * as vscode from 'vscode';

const LANGUAGES = ['nvsass', 'ptx'];

/** All documents of these languages. */
export const SELECTOR = LANGUAGES.map((language) => ({ language }));

/** Whether the server reads the document. */
export function isOurs(document: vscode.TextDocument): boolean {
  return LANGUAGES.includes(document.languageId);
}
