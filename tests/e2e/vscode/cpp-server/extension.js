// A fake C++ language server for CUDA: one answer to each request that only a C++ server can answer.
const vscode = require('vscode');

const CUDA = { scheme: 'file', language: 'cuda-cpp' };

/** The range of the first occurrence of a word in the document. */
function placeOf(document, word) {
  const start = document.getText().indexOf(word);
  return new vscode.Range(document.positionAt(start), document.positionAt(start + word.length));
}

exports.activate = ({ subscriptions }) => {
  const { languages } = vscode;
  subscriptions.push(
    languages.registerHoverProvider(CUDA, {
      provideHover: (document, position) => {
        const range = document.getWordRangeAtPosition(position);
        return range && new vscode.Hover(`the type of \`${document.getText(range)}\`, by the C++ server`, range);
      },
    }),
    languages.registerCompletionItemProvider(CUDA, {
      // Like clangd, it completes nothing in strings.
      provideCompletionItems: (document, position) => {
        const before = document.lineAt(position).text.slice(0, position.character);
        const isInString = before.split('"').length % 2 === 0;
        return isInString ? [] : [new vscode.CompletionItem('proposedByTheCppServer', vscode.CompletionItemKind.Variable)];
      },
    }),
    // A trivial provider, which shows the least time that a list takes in this editor on this machine.
    languages.registerCompletionItemProvider(
      { scheme: 'file', pattern: '**/*.trivial' },
      { provideCompletionItems: () => ['FTZ', 'RN', 'L'].map((word) => new vscode.CompletionItem(word, vscode.CompletionItemKind.EnumMember)) },
      '.',
    ),
    languages.registerDefinitionProvider(CUDA, {
      provideDefinition: (document, position) => {
        const range = document.getWordRangeAtPosition(position);
        return range && new vscode.Location(document.uri, placeOf(document, document.getText(range)));
      },
    }),
    languages.registerRenameProvider(CUDA, {
      provideRenameEdits: (document, position, name) => {
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, document.getWordRangeAtPosition(position), name);
        return edit;
      },
    }),
    languages.registerDocumentFormattingEditProvider(CUDA, {
      provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(new vscode.Position(0, 0), '// formatted by the C++ server\n')],
    }),
  );
};
