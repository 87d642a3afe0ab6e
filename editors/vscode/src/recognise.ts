/** Sets the language of a document by its content if its name does not determine it. */

import * as vscode from 'vscode';
import { LINES, isPtx, notationOf } from './dialect';
import { isOurs } from './languages';
import { writeSetting } from './setting';

/** Extensions that do not determine the language. */
const ANYTHING = new Set(['.txt', '.asm', '.lst', '.dump', '.log', '']);
/** Delay after the last edit of an untitled document before it is examined, in ms. */
const REST_MS = 300;

function* firstLines(document: vscode.TextDocument): Iterable<string> {
  for (let line = 0; line < Math.min(document.lineCount, LINES); line++) {
    yield document.lineAt(line).text;
  }
}

function endingOf(document: vscode.TextDocument): string {
  const name = document.uri.path.slice(document.uri.path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.')).toLowerCase() : '';
}

/** Whether the extension may set the language of the document. */
function isOpenQuestion(document: vscode.TextDocument): boolean {
  if (document.uri.scheme !== 'file' && document.uri.scheme !== 'untitled' && document.uri.scheme !== 'vscode-remote') {
    return false;
  }
  const ending = endingOf(document);
  if (ending === '.sass') {
    return vscode.workspace.getConfiguration('warplens').get<boolean>('recogniseSassFiles', false);
  }
  return document.isUntitled ? document.languageId === 'plaintext' : ANYTHING.has(ending);
}

async function recognise(document: vscode.TextDocument): Promise<void> {
  if (document.isClosed || isOurs(document) || !isOpenQuestion(document)) {
    return;
  }
  if (notationOf(firstLines(document)) !== undefined) {
    await vscode.languages.setTextDocumentLanguage(document, 'nvsass');
  } else if (isPtx(firstLines(document))) {
    await vscode.languages.setTextDocumentLanguage(document, 'ptx');
  }
}

/** Key in the workspace state: the user has answered "No" for the folder's `.sass` files. */
const DECLINED = 'warplens.noSassFiles';

/** Asks whether to open a `.sass` file as SASS if it contains a listing. Each file is asked about once. */
async function offer(document: vscode.TextDocument, folder: vscode.Memento, offered: Set<string>): Promise<void> {
  const uri = document.uri.toString();
  const isAsked = folder.get<boolean>(DECLINED, false) || offered.has(uri);
  if (isAsked || isOurs(document) || endingOf(document) !== '.sass' || isOpenQuestion(document) || notationOf(firstLines(document)) === undefined) {
    return;
  }
  offered.add(uri);
  const answer = await vscode.window.showInformationMessage('This looks like a SASS listing. Open it as SASS?', 'Yes', 'Always', 'No');
  if (answer === 'Yes' && !document.isClosed) {
    await vscode.languages.setTextDocumentLanguage(document, 'nvsass');
  } else if (answer === 'Always') {
    await writeSetting('recogniseSassFiles', true);
  } else if (answer === 'No') {
    await folder.update(DECLINED, true);
  }
}

/** Examines every open document once, now and whenever one is opened. A language that the user sets afterwards stays. */
export function recogniseTexts(folder: vscode.Memento): vscode.Disposable {
  const waiting = new Map<vscode.TextDocument, NodeJS.Timeout>();
  const asked = new Set<string>();
  const offered = new Set<string>();
  const offerFor = (editor: vscode.TextEditor | undefined): void => {
    if (editor) {
      void offer(editor.document, folder, offered);
    }
  };
  offerFor(vscode.window.activeTextEditor);
  const ask = (document: vscode.TextDocument): void => {
    const uri = document.uri.toString();
    if (!asked.has(uri)) {
      asked.add(uri);
      void recognise(document);
    }
  };
  vscode.workspace.textDocuments.forEach(ask);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(ask),
    vscode.window.onDidChangeActiveTextEditor(offerFor),
    vscode.workspace.onDidCloseTextDocument((document) => {
      // A change of language closes a document and opens it again.
      setTimeout(() => {
        const isOpen = vscode.workspace.textDocuments.some((open) => open.uri.toString() === document.uri.toString());
        if (!isOpen) {
          asked.delete(document.uri.toString());
        }
      }, 0);
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.isUntitled && document.languageId === 'plaintext') {
        clearTimeout(waiting.get(document));
        const timer = setTimeout(() => {
          waiting.delete(document);
          void recognise(document);
        }, REST_MS);
        waiting.set(document, timer);
      }
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('warplens.recogniseSassFiles')) {
        vscode.workspace.textDocuments.forEach((document) => void recognise(document));
      }
    }),
    new vscode.Disposable(() => waiting.forEach((timer) => clearTimeout(timer))),
  );
}
