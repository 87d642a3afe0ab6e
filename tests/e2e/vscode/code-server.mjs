// A real VS Code workbench with the extension installed, served by code-server on this machine only.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SETTINGS = {
  'breadcrumbs.filePath': 'last',
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'files.autoSave': 'off',
  'telemetry.telemetryLevel': 'off',
  // Otherwise the editor may ask about the repository around the workspace while a case looks at the screen.
  'git.enabled': false,
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'security.workspace.trust.enabled': false,
  'editor.minimap.enabled': false,
};

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export class CodeServer {
  static async start(stage, entry, vsix, theme) {
    const server = new CodeServer();
    server.theme = { 'workbench.colorTheme': theme === 'light' ? 'Default Light Modern' : 'Default Dark Modern' };
    server.stage = stage;
    server.data = join(stage, 'data');
    server.extensions = join(stage, 'extensions');
    server.log = join(stage, 'code-server.log');
    mkdirSync(join(server.data, 'User'), { recursive: true });
    server.userSettings();
    const own = ['--user-data-dir', server.data, '--extensions-dir', server.extensions];
    // Without this, the workbench contacts the gallery for extensions.
    const environment = { ...process.env, EXTENSIONS_GALLERY: '{}', HOME: join(stage, 'home'), PATH: '/usr/bin:/bin' };
    // The only compiler is the one that a case sets.
    delete environment.CUDA_HOME;
    mkdirSync(environment.HOME, { recursive: true });
    // An extension that is in this folder before the first installation is installed with it.
    cpSync(join(import.meta.dirname, 'cpp-server'), join(server.extensions, 'tests.cpp-server-1.0.0'), { recursive: true });
    execFileSync(process.execPath, [entry, ...own, '--install-extension', vsix], { env: environment, stdio: 'pipe' });
    const port = await freePort();
    server.address = `http://127.0.0.1:${port}`;
    const log = openSync(server.log, 'w');
    server.process = spawn(
      process.execPath,
      [entry, ...own, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check'],
      { env: environment, stdio: ['ignore', log, log], detached: true },
    );
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${server.address}/healthz`).catch(() => undefined);
      if (answer?.ok) return server;
      if (tries === 300 || server.process.exitCode !== null) {
        throw new Error(`code-server does not answer: ${readFileSync(server.log, 'utf8').slice(-500)}`);
      }
      await sleep(100);
    }
  }

  /** Creates a folder to open, with copies of some listings, because cases edit them. */
  workspace(root, name) {
    const folder = join(this.stage, 'workspaces', name.replaceAll(/\W+/g, '-'));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(root, 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'), join(folder, 'sgemm.txt'));
    writeFileSync(join(folder, 'style.sass'), 'nav\n  color: red\n  a\n    color: blue\n');
    cpSync(join(root, 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'), join(folder, 'listing.sass'));
    cpSync(join(root, 'server/syntax/tests/cubins/sm_90.cubin'), join(folder, 'tile.cubin'));
    writeFileSync(join(folder, 'letter.txt'), 'Dear reader,\n\nthere is nothing here that a machine would run.\n');
    return folder;
  }

  /** Writes the user's settings for the next window: the usual ones, overridden by `settings`. */
  userSettings(settings = {}) {
    writeFileSync(join(this.data, 'User/settings.json'), JSON.stringify({ ...SETTINGS, ...this.theme, ...settings }, undefined, 2));
  }

  /**
   * Excludes the servers that run now from `languageServers`. A page that is left may not disconnect, and then its extensions and
   * their server wait for hours for a reconnection.
   */
  forgetServers() {
    this.earlier = new Set(this.allServers());
  }

  /** The process ids of the language servers that the extension has started in this case. */
  languageServers() {
    return this.allServers().filter((id) => !this.earlier.has(id));
  }

  /** The process ids of all processes that run the server in the extension. */
  allServers() {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((id) => {
        try {
          const program = readlinkSync(`/proc/${id}/exe`);
          return program.startsWith(this.extensions) && program.endsWith('/server/warplens');
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** The errors of the extension in the logs of the extension host. */
  complaints() {
    const found = [];
    const look = (folder) => {
      for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) look(path);
        else if (/remoteexthost|warplens/.test(path)) {
          found.push(...readFileSync(path, 'utf8').split('\n').filter((line) => /\[error\].*warplens/i.test(line)));
        }
      }
    };
    look(join(this.data, 'logs'));
    return found;
  }

  async stop() {
    try {
      // Its process group contains only the processes that it has started.
      process.kill(-this.process.pid, 'SIGTERM');
    } catch {
      return;
    }
    for (let tries = 0; this.process.exitCode === null && this.process.signalCode === null && tries < 50; tries++) {
      await sleep(100);
    }
  }
}
