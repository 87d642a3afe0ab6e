/** "Compare Two Profiles": the changes from one profile to another, as a document in Markdown. */

import * as vscode from 'vscode';
import { choosePath } from './profiles';
import type { Server } from './server';
import { Texts } from './texts';

/** Response of `warplens/compareProfiles`. */
interface Compared {
  /** Full paths of the attached files. */
  files: string[];
  title: string | null;
  text: string | null;
  reason: string | null;
}

/** URI scheme of comparisons. The path is the title; the text is the comparison in Markdown. */
const SCHEME = 'warplens-profiles';

export class ProfileComparison implements vscode.Disposable {
  private readonly texts = new Texts(SCHEME);

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.texts.dispose();
  }

  async show(): Promise<void> {
    await this.server.start();
    const attached = (await this.server.ask<Compared>('warplens/compareProfiles', {}))?.files ?? [];
    const before = await choosePath('The profile before the change', attached);
    const after = before && (await choosePath('The profile after the change', attached));
    if (!before || !after) {
      return;
    }
    const answer = await this.server.ask<Compared>('warplens/compareProfiles', { before, after });
    if (!answer?.text) {
      void vscode.window.showWarningMessage(`warplens: ${answer?.reason ?? 'nothing to compare'}.`);
      return;
    }
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${answer.title ?? 'profiles'}.md` });
    this.texts.set(uri, answer.text);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
  }
}
