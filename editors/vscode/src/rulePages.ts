/** Pages of rules, which the codes of findings lead to. */

import * as vscode from 'vscode';
import type { Server } from './server';

/** `warplens-rule:/CODE.md`, as the server writes it. */
const SCHEME = 'warplens-rule';

export function showRulePages(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async ({ path }) => {
      const code = path.replace(/^\//, '').replace(/\.md$/, '');
      const page = await server.ask<{ text?: string | null }>('warplens/rulePage', { code });
      return page?.text ?? `The server that runs has no page on the rule ${code}.`;
    },
  });
}
