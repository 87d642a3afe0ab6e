/** Entry points that the editor calls to start and to stop the extension. */

import * as vscode from 'vscode';
import { openBinaries } from './binary';
import { Comparison } from './compare';
import { copyAs } from './copy';
import { showState } from './dump';
import { selectGpu } from './gpu';
import { followAdvice } from './follow';
import { Encodings } from './encodings';
import { Heat } from './heat';
import { goToHotSpot, showHottest } from './hotSpots';
import { findProject, isLaunchFile, isServed } from './languages';
import { KernelPanel } from './panel';
import { ProfileComparison } from './profileComparison';
import { attachProfile, chooseLaunch, detachProfiles, keepProfiles } from './profiles';
import { recogniseTexts } from './recognise';
import { RelationMarks } from './relations';
import { explainRule, showRulePages } from './rulePages';
import { SelectionCycles } from './selection';
import { Server } from './server';
import { openPathSetting } from './setting';
import { showStatus } from './status';
import { TopDownView } from './topDown';
import { TuningPanel } from './tuning';
import { Views } from './views';

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const server = new Server(context);
  running = server;
  const panel = new KernelPanel(context, server);
  const selection = new SelectionCycles(server);
  const views = new Views(server);
  // The server is started only when a document is opened that it handles.
  const startFor = (document: vscode.TextDocument): void => {
    if ((isServed(document) || isLaunchFile(document)) && server.condition.is === 'off' && !server.client) {
      void server.start();
    }
  };
  const lookForProject = async (): Promise<void> => {
    if (await findProject()) {
      vscode.workspace.textDocuments.forEach(startFor);
    }
  };
  const projects = vscode.workspace.createFileSystemWatcher('**/warplens.toml');
  const comparison = new Comparison(server);
  const profileComparison = new ProfileComparison(server);
  const topDown = new TopDownView(server, context.extensionUri);
  const tuning = new TuningPanel(context, server);
  const encodings = new Encodings(server);
  const relations = new RelationMarks(server);
  const command = (name: string, action: (argument?: string) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`warplens.${name}`, action);
  context.subscriptions.push(
    server,
    panel,
    selection,
    views,
    comparison,
    profileComparison,
    topDown,
    tuning,
    encodings,
    relations,
    new Heat(server),
    projects,
    projects.onDidCreate(lookForProject),
    vscode.workspace.onDidChangeWorkspaceFolders(lookForProject),
    recogniseTexts(context.workspaceState),
    showRulePages(server),
    showStatus(server),
    keepProfiles(server, context.workspaceState),
    openBinaries(server),
    command('selectGpu', () => selectGpu(context)),
    command('showKernel', () => panel.show()),
    vscode.commands.registerCommand('warplens.tune', (asked) => tuning.tune(asked)),
    vscode.commands.registerCommand('warplens.showPanel', (uri: string, line: number) => panel.showAt(uri, line)),
    command('showSass', () => views.show('sass')),
    command('showPtx', () => views.show('ptx')),
    command('goToSass', () => views.goTo('sass')),
    command('goToPtx', () => views.goTo('ptx')),
    command('goToSource', () => views.goToSource()),
    command('pinCode', () => comparison.pin()),
    command('compareCode', () => comparison.show()),
    command('attachProfile', () => attachProfile(server, context.workspaceState)),
    command('detachProfiles', () => detachProfiles(server, context.workspaceState)),
    command('chooseLaunch', () => chooseLaunch(server)),
    command('compareProfiles', () => profileComparison.show()),
    command('nextHotSpot', () => goToHotSpot(server, true)),
    command('previousHotSpot', () => goToHotSpot(server, false)),
    command('showHottest', () => showHottest(server)),
    command('toggleRelations', () => relations.toggle()),
    command('toggleEncodings', () => encodings.toggle()),
    command('showTopDown', () => topDown.show()),
    command('drawTopDown', () => topDown.draw()),
    vscode.commands.registerCommand('warplens.goToProfiled', topDown.goTo, topDown),
    vscode.commands.registerCommand('warplens.explainRule', (code: string) => explainRule(code)),
    vscode.commands.registerCommand('warplens.openPathSetting', (name: string) => openPathSetting(name)),
    vscode.commands.registerCommand('warplens.followAdvice', (followed) => followAdvice(server, followed)),
    command('showSelectionCycles', () => selection.show()),
    command('copyAs', (assembler?: string) => copyAs(server, assembler)),
    command('copyAsMaxas', () => copyAs(server, 'maxas')),
    command('copyAsTuringAs', () => copyAs(server, 'turingas')),
    command('copyAsKeplerAs', () => copyAs(server, 'kepleras')),
    command('copyAsCuAssembler', () => copyAs(server, 'cuassembler')),
    command('restart', () => server.restart()),
    command('showLog', () => server.log.show()),
    command('showVersion', () => showVersion(context, server)),
    command('showState', () => showState(context, server)),
    vscode.workspace.onDidOpenTextDocument(startFor),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restartIfUsed(server)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const programs = [
        'warplens.server.path',
        'warplens.disassembler',
        'warplens.ptxas.path',
        'warplens.nvcc.path',
        'warplens.clang.path',
        'warplens.ncu.path',
      ];
      if (programs.some((setting) => change.affectsConfiguration(setting))) {
        restartIfUsed(server);
      }
      if (change.affectsConfiguration('warplens.leaveAlone')) {
        vscode.workspace.textDocuments.forEach(startFor);
      }
    }),
  );
  vscode.workspace.textDocuments.forEach(startFor);
  void lookForProject();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

/** Restarts the server if it has been started; otherwise the first document that needs it starts it. */
function restartIfUsed(server: Server): void {
  if (server.condition.is !== 'off') {
    void server.restart();
  }
}

async function showVersion(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const own = `extension ${context.extension.packageJSON.version}`;
  const { program } = server;
  const text = program ? `${program.version} (${program.path}, ${program.found}); ${own}` : `no server has been started; ${own}`;
  if ((await vscode.window.showInformationMessage(text, 'Copy')) === 'Copy') {
    await vscode.env.clipboard.writeText(text);
  }
}
