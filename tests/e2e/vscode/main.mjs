// The extension in a real VS Code workbench, in a browser without a screen. `cargo xtask test-vscode` sets what it needs:
// WARPLENS_ROOT (the repository), WARPLENS_VSIX, WARPLENS_STAGE (an empty folder), CODE_SERVER (its entry.js), CHROMIUM,
// WARPLENS_WIDTH (of the window, in pixels), WARPLENS_THEME (dark or light).
// Prints a line for each case, `ok NAME` or `not ok NAME: why`, and keeps pictures where WARPLENS_SCREENSHOTS says.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from './cases.mjs';
import { Chromium } from './browser.mjs';
import { CodeServer } from './code-server.mjs';
import { cudaCases } from './cuda-cases.mjs';
import { profileCases } from './profile-cases.mjs';
import { ptxCases } from './ptx-cases.mjs';
import { readingCases } from './reading-cases.mjs';
import { viewsCases } from './views-cases.mjs';
import { writingCases } from './writing-cases.mjs';
import { Workbench } from './workbench.mjs';

function wanted(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run \`cargo xtask test-vscode\``);
  return value;
}

const stage = wanted('WARPLENS_STAGE');
const pictures = process.env.WARPLENS_SCREENSHOTS ?? join(stage, 'screenshots');
const only = process.argv.slice(2);
let failed = 0;

/** Windows in which cases run at the same time, each in a browser of its own with its own code-server. A window mostly waits. */
const WINDOWS = 2;

/** A window with its code-server. */
class Window {
  static async open(number) {
    const window = new Window();
    const own = join(stage, `window-${number}`);
    mkdirSync(own);
    window.server = await CodeServer.start(own, wanted('CODE_SERVER'), wanted('WARPLENS_VSIX'), wanted('WARPLENS_THEME'));
    window.browser = await Chromium.start(own, wanted('CHROMIUM'), Number(wanted('WARPLENS_WIDTH')));
    return window;
  }

  /** Runs a case in a new workbench on a new folder of this name. Gives why it failed, and takes a picture of that; nothing where it passed. */
  async attempt(name, run, folderName) {
    const { server, browser } = this;
    const start = Date.now();
    const folder = server.workspace(wanted('WARPLENS_ROOT'), folderName);
    server.forgetServers();
    // What a case needs before its window opens.
    server.userSettings(run.userSettings);
    run.before?.(folder, server);
    const workbench = await Workbench.open(browser.page, server.address, folder, pictures);
    try {
      await run(workbench, server);
      if (browser.foreign.size > 0) throw new Error(`asked ${[...browser.foreign].join(', ')} for something`);
      console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      return undefined;
    } catch (error) {
      await workbench.picture(`failed-${name.replaceAll(/\W+/g, '-')}`, join(stage, 'failures')).catch(() => {});
      return String(error.message ?? error).split('\n').slice(0, 3).join(' ');
    }
  }

  /** Runs cases until none is left. */
  async work(queue) {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, run] = next;
      let failure = await this.attempt(name, run, name);
      if (failure) {
        // A busy machine can lose one click. The second folder has another name: a window restores unsaved text by its folder.
        console.log(`  tried again: ${name}: ${failure}`);
        failure = await this.attempt(name, run, `${name} again`);
      }
      if (failure) {
        failed += 1;
        console.log(`not ok ${name}: ${failure}`);
      }
    }
    for (const complaint of failed > 0 ? this.server.complaints() : []) console.log(`  log ${complaint}`);
  }

  async close() {
    await this.browser?.stop();
    await this.server?.stop();
  }
}

const all = [...cases, ...ptxCases, ...cudaCases, ...readingCases, ...viewsCases, ...profileCases, ...writingCases];
const queue = all.filter(([name]) => only.length === 0 || only.some((part) => name.includes(part)));
const windows = [];
try {
  for (let number = 0; number < Math.min(WINDOWS, queue.length); number += 1) windows.push(await Window.open(number));
  await Promise.all(windows.map((window) => window.work(queue)));
} finally {
  await Promise.all(windows.map((window) => window.close()));
}
process.exit(failed > 0 ? 1 : 0);
