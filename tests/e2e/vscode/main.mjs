// Tests of the extension in a real VS Code workbench, in a headless browser. `cargo xtask test-vscode` sets the variables:
// WARPLENS_ROOT (the repository), WARPLENS_VSIX, WARPLENS_STAGE (an empty folder), CODE_SERVER (its entry.js), CHROMIUM,
// WARPLENS_WIDTH (of the window, in pixels), WARPLENS_THEME (dark or light).
// Prints a line for each case, `ok NAME` or `not ok NAME: why`, and writes pictures to the folder WARPLENS_SCREENSHOTS.
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

const server = await CodeServer.start(stage, wanted('CODE_SERVER'), wanted('WARPLENS_VSIX'), wanted('WARPLENS_THEME'));
const browser = await Chromium.start(stage, wanted('CHROMIUM'), Number(wanted('WARPLENS_WIDTH')));

/**
 * Runs a case in a new window on a new folder. Returns undefined if it passed; otherwise takes a picture and returns the error.
 */
async function attempt(name, run, folderName) {
  const start = Date.now();
  const folder = server.workspace(wanted('WARPLENS_ROOT'), folderName);
  server.forgetServers();
  // The case may need preparations before its window opens.
  server.userSettings(run.userSettings);
  run.before?.(folder, server);
  const workbench = await Workbench.open(browser.page, server.address, folder, pictures);
  try {
    await run(workbench, server);
    if (browser.foreign.size > 0) throw new Error(`sent requests to ${[...browser.foreign].join(', ')}`);
    console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    return undefined;
  } catch (error) {
    await workbench.picture(`failed-${name.replaceAll(/\W+/g, '-')}`, join(stage, 'failures')).catch(() => {});
    return String(error.message ?? error).split('\n').slice(0, 3).join(' ');
  }
}

try {
  for (const [name, run] of [...cases, ...ptxCases, ...cudaCases, ...readingCases, ...viewsCases, ...profileCases, ...writingCases]) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    let failure = await attempt(name, run, name);
    if (failure) {
      // A busy machine can lose one click. The second folder has another name: a window restores unsaved text by its folder.
      console.log(`  tried again: ${name}: ${failure}`);
      failure = await attempt(name, run, `${name} again`);
    }
    if (failure) {
      failed += 1;
      console.log(`not ok ${name}: ${failure}`);
    }
  }
  for (const complaint of failed > 0 ? server.complaints() : []) console.log(`  log ${complaint}`);
} finally {
  await browser.stop();
  await server.stop();
}
process.exit(failed > 0 ? 1 : 0);
