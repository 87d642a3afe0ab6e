/** Read-only listings of cubins: virtual documents with the text that the server produces for the file. */

import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { repeated } from './repeat';
import type { Server } from './server';
import { explain } from './view';

/**
 * URI scheme of listings: `warplens-cubin:/folder/tile.cubin.nvsass` is the listing of `/folder/tile.cubin`. The suffix sets the
 * language.
 */
export const SCHEME = 'warplens-cubin';
const ENDING = '.nvsass';
/** Trust and settings often change while the first binary is opened. */
const MOST_TRIES = 5;
/** View type of the custom editor that the manifest declares for `*.cubin`. */
const VIEW = 'warplens.cubin';

/** Response of `warplens/openBinary`. */
interface Opened {
  text: string;
  /** Why the text has no instructions; null if it has some. */
  reason: string | null;
}

function listingOf(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: SCHEME, path: file.path + ENDING });
}

function fileOf(listing: vscode.Uri): vscode.Uri {
  return listing.with({ scheme: 'file', path: listing.path.slice(0, -ENDING.length) });
}

/**
 * Conversion between the URIs of listings and of cubins. The server sees only the cubin's URI, so that it finds the resources
 * that the file states and the `warplens.toml` of its folder.
 */
export const uriConverters = {
  code2Protocol: (uri: vscode.Uri): string => (uri.scheme === SCHEME ? fileOf(uri) : uri).toString(),
  protocol2Code: (name: string): vscode.Uri => {
    const uri = vscode.Uri.parse(name);
    return Listings.read.has(uri.toString()) ? listingOf(uri) : uri;
  },
};

/** Command that moves the cursor of the active listing to a line, counted from 1. */
const GO_TO_LINE = 'warplens.goToLine';

function goToLine(line: number): void {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme === SCHEME) {
    const start = new vscode.Position(line - 1, 0);
    editor.selection = new vscode.Selection(start, start);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/**
 * Replaces the links to lines of a cubin by commands that go to the line of its listing, because the cubin itself has no lines.
 * Returns hovers of other documents unchanged.
 */
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

/** Initialization options for programs and workspace trust. They override the values from the settings. */
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

/** Read-only file system with one listing per cubin. */
class Listings implements vscode.FileSystemProvider, vscode.Disposable {
  /** URIs of the cubins that have been read. */
  static readonly read = new Set<string>();

  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  /** Time at which all listings were last invalidated, in ms since the epoch. `stat` reports no earlier modification time. */
  private staleSince = 0;
  /** Last reason that was shown for each cubin, so that it is not shown again. */
  private readonly told = new Map<string, string>();
  private readonly listener: vscode.Disposable;

  constructor(private readonly server: Server) {
    // A new server has not read the files, and may run programs that the previous one was not allowed to run.
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
      throw vscode.FileSystemError.Unavailable('why' in condition ? condition.why : 'the server is not running');
    }
    Listings.read.add(file.toString());
    try {
      const { text, reason } = await repeated(MOST_TRIES, () => client.sendRequest<Opened>('warplens/openBinary', { uri: file.toString() }));
      this.tell(file, reason);
      return new TextEncoder().encode(text);
    } catch (error) {
      // If an error were thrown, the tab would not open, and the message would contain the name of the scheme.
      const why = error instanceof Error ? error.message : String(error);
      return new TextEncoder().encode(`// ${posix.basename(file.path)} is not shown. ${why.replaceAll(/\s+/g, ' ')}\n`);
    }
  }

  /** Warns that the listing has no instructions, with a button for the remedy. Each reason is shown once per cubin. */
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

/** Opens the listing of a file. If `file` is undefined, the user picks one. */
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
    // The custom editor opens the listing in a text editor and closes: only text editors have hints, hovers and folds.
    vscode.window.registerCustomEditorProvider(VIEW, {
      openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
      resolveCustomEditor: async ({ uri }, panel) => {
        // A click opens a preview tab, a double click a permanent one.
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
        const own = tabs.find(({ input }) => input instanceof vscode.TabInputCustom && input.uri.toString() === uri.toString());
        await open(uri, { viewColumn: panel.viewColumn ?? vscode.ViewColumn.Active, preview: own?.isPreview ?? false });
        panel.dispose();
      },
    }),
  );
}
