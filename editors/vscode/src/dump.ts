/** The state of the extension and the server for a bug report, as a document that the user can read before sending it. */

import * as vscode from 'vscode';
import { uriConverters } from './binary';
import { isServed } from './languages';
import type { Server } from './server';

/** The server's command. The editor's command has another name, because the language client registers this one. */
const DUMP = 'warplens.dumpState';

/** The server's copy of a document. */
interface Copy {
  version: number;
  text: string;
}

async function describe(server: Server, document: vscode.TextDocument): Promise<string> {
  const copy = await server.ask<Copy>('warplens/viewText', { uri: uriConverters.code2Protocol(document.uri) });
  // Versions are compared first: the text may have changed before the server answered.
  const same = copy?.version === document.version ? (copy.text === document.getText() ? 'the same' : 'NOT THE SAME') : 'of another version';
  const size = `${document.lineCount} lines, version ${document.version}`;
  const name = vscode.workspace.asRelativePath(document.uri);
  return copy ? `- ${name}: ${size}; the server's copy is ${same}` : `- ${name}: ${size}; the server has no copy`;
}

export async function showState(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const documents = vscode.workspace.textDocuments.filter(isServed);
  const described = await Promise.all(documents.map((document) => describe(server, document)));
  const condition = server.condition;
  const commands = server.client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
  const own = commands.includes(DUMP) ? await server.ask('workspace/executeCommand', { command: DUMP, arguments: [] }) : undefined;
  const asJson = (value: unknown): string => '```json\n' + JSON.stringify(value, undefined, 2) + '\n```';
  const content = [
    '# State of warplens',
    '',
    `- extension ${context.extension.packageJSON.version}, editor ${vscode.version} (${vscode.env.appHost}), ${process.platform}-${process.arch}`,
    `- server: ${condition.is}${'why' in condition ? `: ${condition.why}` : ''}`,
    server.program ? `- program: ${server.program.version}, ${server.program.path} (${server.program.found})` : '- program: none found',
    `- workspace: ${vscode.workspace.isTrusted ? 'trusted' : 'not trusted'}, ${vscode.workspace.workspaceFolders?.length ?? 0} folders`,
    '',
    '## Documents',
    '',
    ...(described.length > 0 ? described : ['- no document is open']),
    '',
    '## Settings',
    '',
    asJson(vscode.workspace.getConfiguration('warplens')),
    '',
    '## What the server reports about itself',
    '',
    asJson(own ?? null),
    '',
    '## What the server offers',
    '',
    asJson(server.client?.initializeResult ?? null),
    '',
  ].join('\n');
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document);
}
