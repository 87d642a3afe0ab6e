/** Pages of rules and guides, which the codes of findings lead to. They are shown rendered. */

import * as vscode from 'vscode';
import type { Server } from './server';

/** `warplens-rule:/CODE.md`, as the server writes it. */
const SCHEME = 'warplens-rule';

/** Shows the page of a rule or of a guide, rendered, beside the text. */
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
