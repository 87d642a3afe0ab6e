/** Advice that was followed: the text is saved, run and profiled again, and the server says what that has brought. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { plain } from './plainText';
import type { Server } from './server';

/** The argument of the command, as the server puts it into a code action. */
interface Followed {
  uri: string;
  kernel: string;
  advice: string;
  claimed: number | null;
}

interface Outcome {
  message: string | null;
  /** What to run by hand where nothing was run. */
  command: string | null;
  /** Times as fast as before. */
  measured: number | null;
}

export async function followAdvice(server: Server, followed: Followed): Promise<void> {
  const uri = uriConverters.protocol2Code(followed.uri).toString();
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri);
  if (document?.isDirty && !(await document.save())) {
    void vscode.window.showErrorMessage(`warplens: ${vscode.workspace.asRelativePath(document.uri)} could not be saved, so nothing was run.`);
    return;
  }
  const outcome = await server.ask<Outcome>('warplens/followAdvice', followed);
  if (!outcome) {
    void vscode.window.showErrorMessage('warplens: the server did not report the effect of the change; see the log.');
  } else if (outcome.message) {
    // A message without a button is cut after its first line.
    const [button, action] = next(server, outcome);
    if ((await vscode.window.showInformationMessage(`warplens: ${plain(outcome.message)}`, button)) === button) {
      await action();
    }
  }
}

/** What to do after a message: its button, and what that does. */
function next(server: Server, { command, measured }: Outcome): [string, () => unknown] {
  if (command) {
    return ['Copy the Command', () => vscode.env.clipboard.writeText(command)];
  }
  return measured === null ? ['Show Log', () => server.log.show()] : ['Show the Top-Down Tree', () => vscode.commands.executeCommand('warplens.showTopDown')];
}
