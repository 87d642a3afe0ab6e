// Profiles at the code that ran: attached, shown as hints, lens, heat and tree, another launch of it, and taken off again.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const profileCases = new Map();

const LISTING = 'sgemm.txt';

/** The source page of Nsight Compute of two launches of the listing's kernel, as csv: one hot at its load, one at its store. */
function page(listing) {
  const rows = [];
  for (const hot of ['LDG.E', 'STG.E']) {
    rows.push('"Kernel Name","sgemm16",');
    rows.push('"Address","Source","# Samples","Instructions Executed","Thread Instructions Executed","stall_long_sb","stall_wait"');
    const instructions = [...listing.matchAll(/^\s*\/\*[0-9a-f]{4}\*\/\s+([^;]+?)\s*;/gm)].map(([, text]) => text);
    const hottest = instructions.findIndex((text) => text.includes(hot));
    instructions.forEach((text, at) => {
      const samples = at === hottest ? 900 : 1;
      rows.push(`"0x${(0x7f000000 + at * 16).toString(16)}","      ${text}","${samples}","64","2048","${samples}","0"`);
    });
  }
  return `${rows.join('\n')}\n`;
}

function withProfile(folder) {
  writeFileSync(join(folder, 'run.csv'), page(readFileSync(join(folder, LISTING), 'utf8')));
}

/** The hint of the profile in view, which stands at the end of its line. */
async function measured(workbench, opcode, isWanted = () => true) {
  return workbench.until(`a measured hint at ${opcode}`, async () => {
    const line = await workbench.line('long_scoreboard');
    return line?.includes(opcode) && isWanted(line) && line;
  });
}

async function show(workbench, part) {
  const text = readFileSync(join(workbench.folder, LISTING), 'utf8').split('\n');
  await workbench.goToLine(text.findIndex((line) => line.includes(part)) + 1);
}

async function attach(workbench) {
  await workbench.openFile(LISTING);
  await show(workbench, 'LDG.E');
  await workbench.pick(async () => workbench.page.keyboard.press('F1'), '>warplens: Attach a Profile', 'Attach a Profile');
  await workbench.pickRow('run.csv');
  return measured(workbench, 'LDG.E');
}

function add(name, run) {
  run.before = withProfile;
  profileCases.set(name, run);
}

add('a profile is attached, another launch of it shown, its tree opened, and it is detached', async (workbench) => {
  const line = await attach(workbench);
  assert.match(line, /\d+\.\d % long_scoreboard/);
  await workbench.until('heat in the gutter', () => workbench.isThere('.glyph-margin-widgets .cgmr, .margin-view-overlays .cgmr'));
  await workbench.picture('profile');

  await workbench.command('warplens: Choose the Profiled Launch');
  await workbench.pickRow('launch 2 in run.csv');
  await show(workbench, 'STG.E');
  await measured(workbench, 'STG.E');

  await workbench.command('warplens: Show the Top-Down Tree');
  const row = (words) => workbench.page.locator('.pane-body .monaco-list-row', { hasText: words }).first();
  await row('long_scoreboard').waitFor({ state: 'visible' });
  await row('long_scoreboard').locator('.monaco-tl-twistie').click();
  await row('STG.E').waitFor({ state: 'visible' });
  await workbench.picture('top-down-tree');
  await show(workbench, '/*0000*/');
  await row('STG.E').click();
  const stored = readFileSync(join(workbench.folder, LISTING), 'utf8').split('\n').findIndex((text) => text.includes('STG.E')) + 1;
  const place = () => workbench.text('#status\\.editor\\.selection');
  await workbench.until('the store', async () => (await place()).includes(`Ln ${stored},`));
  await workbench.command('warplens: Draw the Top-Down Tree');
  await workbench.until('the picture', () => workbench.isThere('.webview.ready, iframe.webview'));
  await workbench.picture('top-down-drawn');

  await workbench.openFile(LISTING);
  await workbench.command('warplens: Detach All Profiles');
  await workbench.until('no measured hints', async () => !(await workbench.line('long_scoreboard')));
});

add('figures of code that has changed since are marked', async (workbench) => {
  await attach(workbench);
  const text = readFileSync(join(workbench.folder, LISTING), 'utf8').split('\n');
  const stored = text.findIndex((line) => line.includes('STG.E')) + 1;
  await workbench.goToLine(stored);
  await workbench.page.keyboard.press('Control+Shift+K');
  await show(workbench, 'LDG.E');
  await measured(workbench, 'LDG.E', (line) => line.includes('long_scoreboard ?'));
});

add('two profiles are compared in a text', async (workbench) => {
  const { folder } = workbench;
  // Before the change each instruction waited alike.
  writeFileSync(join(folder, 'before.csv'), page(readFileSync(join(folder, LISTING), 'utf8')).replaceAll('"900"', '"1"'));
  await attach(workbench);
  await workbench.command('warplens: Compare Two Profiles');
  await workbench.pickRow('before.csv');
  await workbench.until('the second question', async () => (await workbench.text('.quick-input-title')).includes('after'));
  await workbench.pickRow('run.csv');
  await workbench.until('the text', async () => (await workbench.line('before.csv'))?.includes('before.csv -> run.csv'));
  await workbench.until('a kernel', () => workbench.line('sgemm16'));
  await workbench.picture('compared-profiles');
});
