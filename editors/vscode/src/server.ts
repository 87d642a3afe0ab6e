/** The server over the lifetime of the window: its starts and restarts, and events for the rest of the extension. */

import * as vscode from 'vscode';
import { CancellationToken, CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
import type { LanguageClientOptions, ServerOptions } from 'vscode-languageclient/node';
import { programOptions, uriConverters, withOwnLinks } from './binary';
import { SELECTOR } from './languages';
import type { Attached } from './profiles';
import { type Program, findProgram } from './program';
import { openPathSetting } from './setting';
import { plain } from './plainText';
import { repeated } from './repeat';
import { kindOf } from './view';

/** What the server is doing. `why` is a sentence about the failure or the problem. */
export type Condition =
  | { is: 'off' | 'starting' }
  | { is: 'running' | 'busy'; note?: string | undefined }
  | { is: 'failed' | 'troubled'; why: string };

/** Parameters of the notification `experimental/serverStatus`. */
interface ServerStatus {
  health: 'ok' | 'warning' | 'error';
  quiescent: boolean;
  message?: string;
  /** Advice on how to get better figures. Everything works without it. */
  note?: string;
}

/** This many deaths within `WITHIN_MS` are a crash loop: the server stays down until the user restarts it. */
const MOST_DEATHS = 5;
const WITHIN_MS = 3 * 60_000;

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('warplens', { log: true });
  private readonly changed = new vscode.EventEmitter<Condition>();
  readonly onDidChange = this.changed.event;
  private readonly ran = new vscode.EventEmitter<void>();
  /** Fires each time that a server is ready for requests, at the first start and after restarts. */
  readonly onDidRun = this.ran.event;
  private readonly codeChanged = new vscode.EventEmitter<vscode.Uri>();
  /** Fires for each document that has new code. */
  readonly onDidChangeCode = this.codeChanged.event;
  private readonly profilesChanged = new vscode.EventEmitter<void>();
  /** Fires when the attached profiles change, and when another launch is shown. */
  readonly onDidChangeProfiles = this.profilesChanged.event;
  private readonly lensResolved = new vscode.EventEmitter<void>();
  /** Fires after a lens is resolved: its launch is then simulated as a whole, and its shares may be more exact. */
  readonly onDidResolveLens = this.lensResolved.event;
  private readonly hinted = new vscode.EventEmitter<{ document: vscode.TextDocument; hints: vscode.InlayHint[] }>();
  /** Fires with the hints that the editor is about to draw in a part of a document. */
  readonly onDidHint = this.hinted.event;
  /** The names of the attached profiles. */
  profiles: string[] = [];
  condition: Condition = { is: 'off' };
  program: Program | undefined;
  client: LanguageClient | undefined;
  /** A hover that replaces the server's answer to the next hover request, once. */
  nextHover: vscode.Hover | undefined;
  private deaths: number[] = [];
  /** The last queued start or stop. They run one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {}

  start(): Promise<void> {
    return this.next(async () => {
      if (!this.client) {
        await this.launch();
      }
    });
  }

  restart(): Promise<void> {
    return this.next(async () => {
      this.deaths = [];
      await this.halt();
      await this.launch();
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.halt());
  }

  /**
   * Sends a request that is not part of LSP. Returns undefined if the server is down, fails or has no answer. A request that the
   * server drops, because the text or the settings changed, is sent `tries` times at most.
   */
  async ask<T>(method: string, parameters: unknown, token: vscode.CancellationToken = CancellationToken.None, tries = 1): Promise<T | undefined> {
    if (!this.client || this.client.state !== State.Running) {
      return undefined;
    }
    try {
      const { client } = this;
      return (await repeated(tries, () => client.sendRequest<T | null>(method, parameters, token), token)) ?? undefined;
    } catch (error) {
      this.log.debug(`${method}: ${String(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    // The client writes to the log until it has stopped.
    void this.stop().finally(() => {
      this.changed.dispose();
      this.ran.dispose();
      this.codeChanged.dispose();
      this.profilesChanged.dispose();
      this.lensResolved.dispose();
      this.hinted.dispose();
      this.log.dispose();
    });
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step, step);
    return this.turn;
  }

  private become(condition: Condition): void {
    this.condition = condition;
    this.changed.fire(condition);
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.become({ is: 'off' });
    this.takeProfiles([]);
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`the server did not stop as asked: ${String(error)}`);
    }
  }

  private async launch(): Promise<void> {
    this.become({ is: 'starting' });
    try {
      this.program = await findProgram(this.context);
      this.log.info(`${this.program.version}: ${this.program.path}, which ${this.verb(this.program.found)}`);
      this.client = this.prepare(this.program);
      await this.client.start();
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private verb(found: string): string {
    return found.startsWith('came') ? found : `was ${found}`;
  }

  private fail(why: string): void {
    this.log.error(why);
    this.client = undefined;
    this.become({ is: 'failed', why });
    void vscode.window.showErrorMessage(`warplens: ${why}`, 'Open Settings', 'Show Log').then((answer) => {
      if (answer === 'Open Settings') {
        void openPathSetting('warplens.server.path');
      } else if (answer === 'Show Log') {
        this.log.show();
      }
    });
  }

  private prepare(program: Program): LanguageClient {
    const server: ServerOptions = { command: program.path, args: ['lsp'] };
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({ ...vscode.workspace.getConfiguration('warplens'), ...programOptions(), lensCommand: true, tuneCommand: true }),
      uriConverters,
      middleware: {
        provideHover: async (document, position, token, next) => {
          const ours = this.nextHover;
          this.nextHover = undefined;
          const hover = ours ?? (await next(document, position, token));
          return hover && withOwnLinks(hover, document);
        },
        // The findings of a view are already reported in its source. As hints, they are not listed under Problems.
        handleDiagnostics: (uri, diagnostics, next) => next(uri, kindOf(uri) ? diagnostics.map(asHint) : diagnostics),
        provideDiagnostics: async (document, previous, token, next) => {
          const report = await next(document, previous, token);
          const uri = document instanceof vscode.Uri ? document : document.uri;
          return report && 'items' in report && kindOf(uri) ? { ...report, items: report.items.map(asHint) } : report;
        },
        provideCodeLenses: async (document, token, next) => (await next(document, token))?.map(withDetail),
        resolveCodeLens: async (lens, token, next) => {
          const resolved = await next(lens, token);
          this.lensResolved.fire();
          return resolved && withDetail(resolved);
        },
        provideInlayHints: async (document, range, token, next) => {
          const hints = await next(document, range, token);
          if (hints) {
            this.hinted.fire({ document, hints });
          }
          return hints;
        },
      },
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/warplens.toml') },
      markdown: { isTrusted: false, supportHtml: false },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
    };
    const client = new LanguageClient('warplens', 'warplens', server, options);
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = {
          serverStatusNotification: true,
          codeChangeNotification: true,
          profileChangeNotification: true,
          rulePages: true,
          explainRule: true,
        };
      },
      initialize: () => {},
      getState: () => ({ kind: 'static' }),
      clear: () => {},
    });
    client.onDidChangeState(({ newState }) => {
      if (this.client === client && this.condition.is !== 'failed') {
        this.become({ is: newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'off' });
      }
      if (this.client === client && newState === State.Running) {
        this.ran.fire();
      }
    });
    client.onNotification('experimental/serverStatus', (status: ServerStatus) => {
      if (status.health === 'ok') {
        this.become({ is: status.quiescent ? 'running' : 'busy', note: status.note });
      } else {
        this.become({ is: 'troubled', why: status.message ?? `the server's health: ${status.health}` });
      }
    });
    client.onNotification('warplens/codeChanged', ({ textDocument }: { textDocument: { uri: string } }) => {
      this.codeChanged.fire(uriConverters.protocol2Code(textDocument.uri));
    });
    client.onNotification('warplens/profilesChanged', ({ profiles }: Attached) => this.takeProfiles(profiles));
    return client;
  }

  private takeProfiles(profiles: string[]): void {
    this.profiles = profiles;
    void vscode.commands.executeCommand('setContext', 'warplens.hasProfile', profiles.length > 0);
    this.profilesChanged.fire();
  }

  /** Handles an unexpected end of the process: restarts it, unless it ended too often. */
  private closed(): { action: CloseAction; handled: true } {
    const now = Date.now();
    this.deaths = [...this.deaths.filter((death) => now - death < WITHIN_MS), now];
    if (this.deaths.length < MOST_DEATHS) {
      this.log.warn('the server ended and is being restarted');
      return { action: CloseAction.Restart, handled: true };
    }
    this.fail(`the server ended ${MOST_DEATHS} times within three minutes and stays down; see the log`);
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}

function asHint(finding: vscode.Diagnostic): vscode.Diagnostic {
  finding.severity = vscode.DiagnosticSeverity.Hint;
  return finding;
}

/** Returns the lens with its detail as the tooltip, which is plain text. */
function withDetail(lens: vscode.CodeLens): vscode.CodeLens {
  const { data } = lens as { data?: { detail?: string } };
  if (lens.command && data?.detail) {
    lens.command = { ...lens.command, tooltip: plain(data.detail) };
  }
  return lens;
}
