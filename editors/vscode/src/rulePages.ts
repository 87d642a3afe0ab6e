/** Rendered pages of rules and guides, which the codes of findings link to. */

import * as vscode from 'vscode';
import type { Server } from './server';

/** URI scheme of the server's links to pages: `warplens-rule:/CODE.md`. */
const SCHEME = 'warplens-rule';

/** Opens the rendered page of a rule or a guide in a preview to the side. */
export async function explainRule(code: string): Promise<void> {
  const page = vscode.Uri.from({ scheme: SCHEME, path: `/${code}.md` });
  await vscode.commands.executeCommand('markdown.showPreviewToSide', page);
}

export function showRulePages(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async ({ path }) => {
      const code = path.replace(/^\//, '').replace(/\.md$/, '');
      const page = await server.ask<{ text?: string | null }>('warplens/rulePage', { code });
      return page?.text ?? `The running server has no page for the rule ${code}.`;
    },
  });
}
