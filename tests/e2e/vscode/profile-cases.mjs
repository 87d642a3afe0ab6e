// Cases for profiles: attaching, hints, heat, the tree, the choice of a launch, detaching, followed advice and comparisons.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { writeSettings } from './workbench.mjs';

export const profileCases = new Map();

const LISTING = 'sgemm.txt';

/**
 * The source page of Nsight Compute as CSV, for two launches of the listing's kernel: one is hot at its load, the other at its
 * store.
 */
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

/** Waits for a measured hint at the end of the line with `opcode`, and returns the line. */
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

/** The lines of text in a picture of boxes, each with the number of pixels by which it extends beyond its box. */
function measure(svg) {
  const frames = [...svg.querySelectorAll('rect[rx]')].map((rect) => rect.getBBox());
  const lines = [...svg.querySelectorAll('text:not(.title)')];
  return lines.map((line) => {
    const { x, y, width, height } = line.getBBox();
    const around = frames.find((frame) => frame.x < x && x < frame.x + frame.width && frame.y < y + height && y < frame.y + frame.height);
    return { text: line.textContent, spill: around ? x + width - (around.x + around.width) : Number.MAX_VALUE };
  });
}

function add(name, run, before = withProfile) {
  run.before = before;
  profileCases.set(name, run);
}

/** A key that is bound to the command of a code action that follows advice. */
const FOLLOW = 'Control+Alt+F8';

/** Writes a profile from before the change, a program that writes one of a faster launch, and the key binding. */
function withProgram(folder, server) {
  const raw = (time) =>
    ['"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"', '"","","","","us"', `"0","sgemm16","(256, 1, 1)","(64, 1, 1)","${time}"`, ''].join('\n');
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write('before.csv', raw(30));
  write('after.csv', raw(20));
  // The program fails unless the edited text was saved.
  write('bench.sh', `grep -q faster ${LISTING} || exit 5\ncp after.csv report.csv\n`);
  write('warplens.toml', '[profile]\nreports = ["before.csv"]\n[run]\ncommand = ["sh", "bench.sh"]\n');
  writeSettings(folder, { 'warplens.ncu.path': join(process.env.WARPLENS_ROOT, 'tests/e2e/stand_in/ncu') });
  const followed = { uri: pathToFileURL(join(folder, LISTING)).href, kernel: 'sgemm16', advice: 'dependent-instructions', claimed: 1.6 };
  const bound = [{ key: FOLLOW.toLowerCase().replace('control', 'ctrl'), command: 'warplens.followAdvice', args: followed }];
  writeFileSync(join(server.data, 'User/keybindings.json'), JSON.stringify(bound));
}

add('a profile is attached, another of its launches is shown, its tree is opened, and it is detached', async (workbench) => {
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
  const drawn = await workbench.until('the picture', async () => {
    for (const frame of workbench.page.frames()) {
      if (await frame.locator('svg text.title').count().catch(() => 0)) return frame;
    }
    return undefined;
  });
  assert.match(await drawn.locator('svg text.title').textContent(), /sgemm16/);
  const boxes = await drawn.locator('svg').evaluate(measure);
  assert.ok(boxes.length > 4, JSON.stringify(boxes));
  assert.deepEqual(boxes.filter(({ spill }) => spill > 0), []);
  const words = boxes.map(({ text }) => text).join(' ');
  for (const part of ['long_scoreboard', 'global and local memory']) {
    assert.ok(words.includes(part), `${part} is not in: ${words}`);
  }
  // The picture has the colours of the theme.
  const fill = await drawn.locator('svg .page').evaluate((page) => getComputedStyle(page).fill);
  const shade = Number(/^rgb\((\d+), \1, \1\)$/.exec(fill)?.[1]);
  assert.ok(process.env.WARPLENS_THEME === 'light' ? shade > 200 : shade < 100, fill);
  await workbench.picture('top-down-drawn');
  const width = () => drawn.locator('svg').evaluate((picture) => picture.getBoundingClientRect().width);
  const fitting = await width();
  await drawn.locator('.zoom button', { hasText: '+' }).click();
  assert.ok((await width()) > 1.2 * fitting, `${await width()} of ${fitting}`);
  await workbench.picture('top-down-zoomed');
  await drawn.locator('.zoom button', { hasText: 'Fit' }).click();
  assert.ok(Math.abs((await width()) - fitting) < 1);

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

add(
  'following advice saves the text, runs the program after a question, and reports the gain',
  async (workbench) => {
    const toast = (words) => workbench.page.locator('.notifications-toasts .notification-list-item', { hasText: words }).first();
    await workbench.openFile(LISTING);
    await workbench.goToLine(1);
    await workbench.page.keyboard.type('// faster ');
    await workbench.until('the change', () => workbench.line('// faster'));
    await workbench.until('the saved text', async () => {
      // The user's key bindings are loaded a little after the window.
      await workbench.page.keyboard.press(FOLLOW);
      const end = Date.now() + 5000;
      while (Date.now() < end) {
        if (readFileSync(join(workbench.folder, LISTING), 'utf8').startsWith('// faster ')) return true;
        await workbench.page.waitForTimeout(100);
      }
      return false;
    });
    const question = toast('Run `sh bench.sh` under ncu?');
    await question.waitFor({ state: 'visible' });
    await question.locator('.monaco-button', { hasText: 'Run' }).click();
    await toast('sgemm16').waitFor({ state: 'visible' });
    const words = await toast('sgemm16').locator('.notification-list-item-message').textContent();
    assert.ok(words.includes('30.0 µs -> 20.0 µs, 1.5 times as fast (claimed: about 1.6).'), words);
    await workbench.restMouse();
    await workbench.picture('followed');
    assert.equal(readFileSync(join(workbench.folder, '.warplens/followed-1.ncu-rep'), 'utf8'), readFileSync(join(workbench.folder, 'after.csv'), 'utf8'));
    // The question is asked only once.
    await toast('sgemm16').locator('.codicon-notifications-clear').click();
    await workbench.page.keyboard.press(FOLLOW);
    await toast('as fast as before').waitFor({ state: 'visible' });
  },
  withProgram,
);

add('two profiles are compared in a document', async (workbench) => {
  const { folder } = workbench;
  // Before the change, all instructions had the same number of samples.
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
