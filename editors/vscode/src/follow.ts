/** Measures followed advice: saves the file, and the server runs and profiles the program again and reports the effect. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { plain } from './plainText';
import type { Server } from './server';

/** The argument that the server gives the command in a code action. */
interface Followed {
  uri: string;
  kernel: string;
  advice: string;
  claimed: number | null;
}

interface Outcome {
  message: string | null;
  /** The command to run by hand if nothing was run. */
  command: string | null;
  /** The measured speedup: 2 is twice as fast as before. Null if nothing was measured. */
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
    // The editor cuts a message without a button after its first line.
    const [button, action] = next(server, outcome);
    if ((await vscode.window.showInformationMessage(`warplens: ${plain(outcome.message)}`, button)) === button) {
      await action();
    }
  }
}

/** Returns the button of a message, and the action that it runs. */
function next(server: Server, { command, measured }: Outcome): [string, () => unknown] {
  if (command) {
    return ['Copy the Command', () => vscode.env.clipboard.writeText(command)];
  }
  return measured === null ? ['Show Log', () => server.log.show()] : ['Show the Top-Down Tree', () => vscode.commands.executeCommand('warplens.showTopDown')];
}
