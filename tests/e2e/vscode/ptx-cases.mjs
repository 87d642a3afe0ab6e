// Cases for PTX: what users do in the first minutes, and what they must see.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

export const ptxCases = new Map();

const MODULE = 'transpose.ptx';
const SOURCE = join(process.env.WARPLENS_ROOT, 'tests/corpus/ptx', MODULE);

function add(name, run) {
  run.before = (folder) => cpSync(SOURCE, join(folder, MODULE));
  ptxCases.set(name, run);
}

/** Opens the module and waits for the server's colours: the grammar alone gives parameters and functions the same one. */
async function reading(workbench) {
  await workbench.openFile(MODULE);
  const colour = (word) => workbench.word(word).first().getAttribute('class', { timeout: 1000 });
  await workbench.until("the server's colours", async () => (await colour('in')) !== (await colour('transpose')));
}

/** The line of the original module that contains `part`, counted from 1. */
function lineOf(part) {
  const index = readFileSync(SOURCE, 'utf8').split('\n').findIndex((line) => line.includes(part));
  assert.ok(index >= 0, `no line with ${part}`);
  return index + 1;
}

/** Moves the cursor to the end of the line that contains `part`. */
async function toEndOf(workbench, part) {
  await workbench.goToLine(lineOf(part));
  await workbench.page.keyboard.press('End');
}

add('PTX is coloured without a command, and has no errors', async (workbench) => {
  await reading(workbench);
  assert.match(await workbench.text('#status\\.editor\\.mode'), /PTX/);
  await workbench.page.waitForTimeout(2000);
  assert.ok(!(await workbench.isThere('.squiggly-error')));
  await workbench.picture('ptx');
});

add('a hover explains a PTX instruction', async (workbench) => {
  await reading(workbench);
  const text = await workbench.until('a hover', async () => {
    await workbench.restMouse();
    await workbench.word('mad').first().hover();
    await workbench.page.waitForTimeout(2000);
    const shown = await workbench.text('.monaco-hover .hover-contents');
    return shown.includes('mad') && shown;
  });
  assert.match(text, /\.lo/);
  await workbench.picture('ptx-hover');
});

/** Waits until the proposals match `pattern`. If no list appears without a command, requests one, as a user would. */
async function proposed(workbench, what, pattern) {
  const row = '.suggest-widget.visible .monaco-list-row';
  let patient = Date.now() + 4000;
  await workbench.until(what, async () => {
    const seen = await workbench.text(row).catch(() => '');
    if (pattern.test(seen)) return true;
    if (!seen && Date.now() > patient) {
      patient = Date.now() + 4000;
      await workbench.page.keyboard.press('Control+Space');
    }
    return false;
  });
}

add('modifiers of PTX are proposed after each dot', async (workbench) => {
  await reading(workbench);
  await toEndOf(workbench, 'bar.sync 0;');
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.type('ld.', { delay: 30 });
  await proposed(workbench, 'state spaces', /shared/);
  await workbench.page.keyboard.type('shared.', { delay: 30 });
  await proposed(workbench, 'vectors and types', /v2.*b8/s);
  await workbench.picture('ptx-completion');
  // Typed as fast as a person types: the list is filtered by the typed text.
  await workbench.page.keyboard.type('f32 %f1, [ti', { delay: 150 });
  await proposed(workbench, 'the name of the variable', /tile/);
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.type(';');
  await workbench.until('the line', () => workbench.line('ld.shared.f32 %f1, [tile];'));
  await workbench.until('no squiggle', async () => !(await workbench.isThere('.squiggly-error')));
});

add('an undeclared name in PTX is reported, and a renamed label keeps its jumps', async (workbench) => {
  await reading(workbench);
  await toEndOf(workbench, 'bar.sync 0;');
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.type('mov.u32 %r1, tilt;', { delay: 5 });
  await workbench.page.keyboard.press('Escape');
  await workbench.until('a squiggle', () => workbench.isThere('.squiggly-error'));
  await workbench.page.keyboard.press('Control+Shift+M');
  // The module also has a bank conflict, which is another problem.
  await workbench.until('the problem', async () => /tilt.*warplens/s.test(await workbench.text('.markers-panel .monaco-list-row')));
  await workbench.picture('ptx-finding');
  await workbench.page.keyboard.press('Control+Shift+M');
  await workbench.goToLine(lineOf('bar.sync 0;') + 1);
  await workbench.page.keyboard.press('Control+Shift+K');
  await workbench.until('the end of the squiggle', async () => !(await workbench.isThere('.squiggly-error')));
  await workbench.goToLine(lineOf('LOAD:'));
  await workbench.page.keyboard.press('F2');
  const box = workbench.page.locator('.rename-box input');
  await box.waitFor({ state: 'visible' });
  await box.fill('next_rows');
  await workbench.page.keyboard.press('Enter');
  await workbench.until('the jump to the new name', () => workbench.line('bra next_rows;'));
});

/** Selects whole lines of the module, from `first` to `last`, counted from 1. */
async function selectLines(workbench, first, last) {
  await workbench.goToLine(first);
  await workbench.page.keyboard.press('Home');
  for (let line = first; line < last; line += 1) await workbench.page.keyboard.press('Shift+ArrowDown');
  await workbench.page.keyboard.press('Shift+End');
}

add('estimated costs of PTX are shown at its lines', async (workbench) => {
  await reading(workbench);
  await workbench.goToLine(lineOf('@%p1 bra STORE'));
  await workbench.until('hints', async () => (await workbench.hints()).some((hint) => /@ *\d+/.test(hint)));
  const lens = await workbench.until('a lens above a loop', async () => {
    const all = await workbench.text('.codelens-decoration');
    return all.includes('cycles per iteration') && all;
  });
  assert.match(lens, /estimated/);
  await workbench.until('the bank conflict', () => workbench.isThere('.squiggly-warning'));
  await workbench.picture('ptx-costs');
});

add('selected lines of PTX have cycles, and the panel draws its kernel', async (workbench) => {
  await reading(workbench);
  await selectLines(workbench, lineOf('ld.shared.f32'), lineOf('@%p1 bra STORE'));
  const item = await workbench.until('the cycles', async () => {
    const text = await workbench.text('.statusbar-item[id$="selectionCycles"]');
    return /\d+ cycles, 1 warp/.test(text) && text;
  });
  assert.match(item, /cycles/);
  await workbench.goToLine(lineOf('ld.shared.f32'));
  await workbench.command('warplens: Show Kernel Panel');
  const inside = await workbench.until('the page in the panel', async () => {
    for (const frame of workbench.page.frames()) {
      const text = await frame.locator('#kernel').textContent({ timeout: 500 }).catch(() => '');
      if (text?.includes('ld.shared.f32')) return text;
    }
    return undefined;
  });
  assert.match(inside, /estimated from PTX/);
  await workbench.picture('ptx-panel');
});
