/** Cubins as listings that cannot be changed: what the server shows for the file, under a scheme of its own. */

import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError, type LanguageClient } from 'vscode-languageclient/node';
import type { Server } from './server';
import { explain } from './view';

/** `warplens-cubin:/folder/tile.cubin.nvsass` is the listing of `/folder/tile.cubin`; the ending gives it its language. */
export const SCHEME = 'warplens-cubin';
const ENDING = '.nvsass';
/** The editor that the manifest declares for `*.cubin`. */
const VIEW = 'warplens.cubin';

/** What `warplens/openBinary` answers. */
interface Opened {
  text: string;
  /** Why the text has no instructions. */
  reason: string | null;
}

function listingOf(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: SCHEME, path: file.path + ENDING });
}

function fileOf(listing: vscode.Uri): vscode.Uri {
  return listing.with({ scheme: 'file', path: listing.path.slice(0, -ENDING.length) });
}

/** The server knows a listing by the name of its file, so that it finds what the file states and the folder's launches. */
export const uriConverters = {
  code2Protocol: (uri: vscode.Uri): string => (uri.scheme === SCHEME ? fileOf(uri) : uri).toString(),
  protocol2Code: (name: string): vscode.Uri => {
    const uri = vscode.Uri.parse(name);
    return Listings.read.has(uri.toString()) ? listingOf(uri) : uri;
  },
};

/** Puts the cursor at a line, counted from 1, of the listing in view. */
const GO_TO_LINE = 'warplens.goToLine';

function goToLine(line: number): void {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme === SCHEME) {
    const start = new vscode.Position(line - 1, 0);
    editor.selection = new vscode.Selection(start, start);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** The hover with links to lines of a cubin's listing, where it is one: the server's lead to the cubin, which has no lines. */
export function withOwnLinks(hover: vscode.Hover, document: vscode.TextDocument): vscode.Hover {
  if (document.uri.scheme === SCHEME) {
    const link = `](${fileOf(document.uri).toString()}#L`;
    const asCommand = (text: string): string => {
      const line = Number.parseInt(text, 10);
      return `](command:${GO_TO_LINE}?${encodeURIComponent(JSON.stringify([line]))}${text.slice(`${line}`.length)}`;
    };
    for (const content of hover.contents) {
      if (content instanceof vscode.MarkdownString) {
        const [before = '', ...after] = content.value.split(link);
        content.value = before + after.map(asCommand).join('');
        content.isTrusted = { enabledCommands: [GO_TO_LINE] };
      }
    }
  }
  return hover;
}

/** What the server is told of programs and of trust, over the settings. */
export function programOptions(): { trusted: boolean; disassembler: string; ptxas: object; nvcc: object; clang: object; ncu: object } {
  const settings = vscode.workspace.getConfiguration('warplens');
  const path = (name: string): string => settings.get<string>(name, '').trim().replace(/^~(?=$|[/\\])/, homedir());
  return {
    trusted: vscode.workspace.isTrusted,
    disassembler: path('disassembler'),
    ptxas: { ...settings.get<object>('ptxas'), path: path('ptxas.path') },
    nvcc: { path: path('nvcc.path') },
    clang: { path: path('clang.path') },
    ncu: { path: path('ncu.path') },
  };
}

/** A file system of listings, one for each file, that nobody can write to. */
class Listings implements vscode.FileSystemProvider, vscode.Disposable {
  /** The files that have been read. */
  static readonly read = new Set<string>();

  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  /** When all listings were last out of date; a file that is older has changed all the same. */
  private staleSince = 0;
  /** What the user has been told of each file; nobody is told the same twice. */
  private readonly told = new Map<string, string>();
  private readonly listener: vscode.Disposable;

  constructor(private readonly server: Server) {
    // Another server knows nothing of what the files state, and may be allowed more than the one before.
    this.listener = server.onDidRun(() => {
      this.staleSince = Date.now();
      const type = vscode.FileChangeType.Changed;
      this.changed.fire([...Listings.read].map((file) => ({ type, uri: listingOf(vscode.Uri.parse(file)) })));
    });
  }

  dispose(): void {
    this.listener.dispose();
    this.changed.dispose();
  }

  watch(listing: vscode.Uri): vscode.Disposable {
    const file = fileOf(listing);
    const folder = file.with({ path: posix.dirname(file.path) });
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, posix.basename(file.path)));
    const tell = (type: vscode.FileChangeType) => () => this.changed.fire([{ type, uri: listing }]);
    return vscode.Disposable.from(
      watcher,
      watcher.onDidCreate(tell(vscode.FileChangeType.Changed)),
      watcher.onDidChange(tell(vscode.FileChangeType.Changed)),
      watcher.onDidDelete(tell(vscode.FileChangeType.Deleted)),
    );
  }

  async stat(listing: vscode.Uri): Promise<vscode.FileStat> {
    const { type, ctime, mtime, size } = await vscode.workspace.fs.stat(fileOf(listing));
    return { type, ctime, mtime: Math.max(mtime, this.staleSince), size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(listing: vscode.Uri): Promise<Uint8Array> {
    const file = fileOf(listing);
    await this.server.start();
    const { client, condition } = this.server;
    if (!client) {
      throw vscode.FileSystemError.Unavailable('why' in condition ? condition.why : 'the server does not run');
    }
    Listings.read.add(file.toString());
    try {
      const { text, reason } = await opened(client, file);
      this.tell(file, reason);
      return new TextEncoder().encode(text);
    } catch (error) {
      // The editor would show the name of our scheme beside a thrown error, and the tab would not open.
      const why = error instanceof Error ? error.message : String(error);
      return new TextEncoder().encode(`// ${posix.basename(file.path)} is not shown. ${why.replaceAll(/\s+/g, ' ')}\n`);
    }
  }

  /** Why there are no instructions, and what would bring them; once for each file and reason. */
  private tell(file: vscode.Uri, reason: string | null): void {
    const key = file.toString();
    if (reason === null || this.told.get(key) === reason) {
      this.told.set(key, reason ?? '');
      return;
    }
    this.told.set(key, reason);
    const name = posix.basename(file.path);
    const remedy = vscode.workspace.isTrusted ? 'disassembler' : 'trust';
    void explain(`${name}: ${reason}. Only the resources stated in the file are shown`, remedy);
  }

  readDirectory(): never {
    throw vscode.FileSystemError.Unavailable('listings are not in a folder');
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions('a listing is read-only: it is made from its cubin');
  }

  writeFile(): never {
    throw vscode.FileSystemError.NoPermissions('a listing is read-only: it is made from its cubin');
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions('a listing is read-only: it is made from its cubin');
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions('a listing is read-only: it is made from its cubin');
  }
}

/** Shows the listing of a file; for none, of the one that the user picks. */
async function open(file: vscode.Uri | undefined, where?: vscode.TextDocumentShowOptions): Promise<void> {
  const chosen = file ?? (await vscode.window.showOpenDialog({ filters: { Cubins: ['cubin'], 'All files': ['*'] } }))?.[0];
  if (!chosen) {
    return;
  }
  if (chosen.scheme !== 'file') {
    void vscode.window.showErrorMessage(`warplens: ${chosen.toString()} is not a file on this machine`);
    return;
  }
  try {
    await vscode.window.showTextDocument(listingOf(chosen), where);
  } catch (error) {
    void vscode.window.showErrorMessage(`warplens: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function openBinaries(server: Server): vscode.Disposable {
  const listings = new Listings(server);
  return vscode.Disposable.from(
    listings,
    vscode.workspace.registerFileSystemProvider(SCHEME, listings, { isReadonly: true, isCaseSensitive: true }),
    vscode.commands.registerCommand(GO_TO_LINE, goToLine),
    vscode.commands.registerCommand('warplens.openBinary', (file?: vscode.Uri) => open(file)),
    // A double click opens this editor, which makes room for the listing: hints, hovers and folds are for texts alone.
    vscode.window.registerCustomEditorProvider(VIEW, {
      openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
      resolveCustomEditor: async ({ uri }, panel) => {
        // A click shows a file for a look, a double click keeps it.
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
        const own = tabs.find(({ input }) => input instanceof vscode.TabInputCustom && input.uri.toString() === uri.toString());
        await open(uri, { viewColumn: panel.viewColumn ?? vscode.ViewColumn.Active, preview: own?.isPreview ?? false });
        panel.dispose();
      },
    }),
  );
}

/** Asks again where the server gave the request up, as it does when trust or settings change meanwhile. */
async function opened(client: LanguageClient, file: vscode.Uri): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    try {
      return await client.sendRequest<Opened>('warplens/openBinary', { uri: file.toString() });
    } catch (error) {
      if (tries === MOST_TRIES || !isCancelled(error)) {
        throw error;
      }
    }
  }
}

const MOST_TRIES = 5;

function isCancelled(error: unknown): boolean {
  const codes: number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled, LSPErrorCodes.ContentModified];
  return error instanceof vscode.CancellationError || (error instanceof ResponseError && codes.includes(error.code));
}
