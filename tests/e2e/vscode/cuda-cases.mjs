// CUDA with a C++ server: costs are shown together with that server's answers and replace none of them.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { kill } from 'node:process';

export const cudaCases = new Map();

const FILE = 'column.cu';
const SOURCE = join(process.env.WARPLENS_ROOT, 'tests/e2e/cuda', FILE);

function add(name, run) {
  run.before = (folder) => cpSync(SOURCE, join(folder, FILE));
  cudaCases.set(name, run);
}

/** The line of the original file that contains `part`, and the column of `part`; both are counted from 1. */
function placeOf(part) {
  const lines = readFileSync(SOURCE, 'utf8').split('\n');
  const index = lines.findIndex((line) => line.includes(part));
  assert.ok(index >= 0, `no line with ${part}`);
  return [index + 1, lines[index].indexOf(part) + 1];
}

async function lenses(workbench, isWanted) {
  return workbench.until('the lenses', async () => {
    const text = await workbench.text('.codelens-decoration');
    return isWanted(text) && { text };
  });
}

/** Opens the file, waits for the lenses above both kernels, and returns their text. */
async function reading(workbench) {
  await workbench.openFile(FILE);
  const { text } = await lenses(workbench, (shown) => /block 32 x 32.*block 256/s.test(shown));
  return text;
}

/** Waits until the hover at `part` matches `pattern`, and returns its text. */
async function hoverAt(workbench, part, pattern) {
  await workbench.goToLine(...placeOf(part));
  return workbench.until('a hover', async () => {
    await workbench.page.keyboard.press('Control+K');
    await workbench.page.keyboard.press('Control+I');
    await workbench.page.waitForTimeout(2000);
    const shown = await workbench.text('.monaco-editor .monaco-hover .hover-contents');
    return pattern.test(shown) && shown;
  });
}

add('CUDA gets lenses and findings and keeps its own language', async (workbench, server) => {
  const text = await reading(workbench);
  assert.match(text, /from host code.*32 warps per block.*4096 B shared/s);
  assert.match(await workbench.text('#status\\.editor\\.mode'), /CUDA C\+\+/);
  await workbench.until('the squiggles', () => workbench.isThere('.squiggly-warning'));
  await workbench.page.keyboard.press('Control+Shift+M');
  const [line] = placeOf('tile[threadIdx.x]');
  const row = '.markers-panel .monaco-list-row';
  const problems = await workbench.until('the problems', async () => (await workbench.text(row)).includes('bank-conflict') && workbench.text(row));
  assert.match(problems, new RegExp(`bank-conflict.*Ln ${line}, Col`, 's'));
  // The C++ server has no findings, and each of ours is listed once.
  assert.equal(problems.match(/bank-conflict/g).length, 1);
  assert.equal(server.languageServers().length, 1);
  await workbench.restMouse();
  await workbench.picture('cuda');
  await workbench.page.keyboard.press('Control+Shift+M');
});

add('a missing nvcc is reported in the language status', async (workbench) => {
  await reading(workbench);
  const hover = workbench.page.locator('.hover-language-status');
  const text = await workbench.until('the note', async () => {
    await workbench.page.locator('#status\\.languageStatus').first().hover();
    await hover.first().waitFor({ state: 'visible', timeout: 3000 });
    const shown = await workbench.text('.hover-language-status');
    return /no nvcc found/i.test(shown) && shown;
  });
  assert.match(text, /No nvcc found.*estimated from the source.*Set nvcc/s);
  await workbench.picture('no-nvcc');
  await workbench.page.locator('.hover-language-status a', { hasText: 'Set nvcc' }).click();
  await workbench.until('the setting', async () => /Nvcc: Path/.test(await workbench.text('.settings-editor .setting-item-label, .settings-editor .setting-item-category')) || workbench.isThere('.settings-editor'));
  assert.ok(!(await workbench.isThere('.notification-toast')));
});

add('hovers of the C++ server and ours are shown together', async (workbench) => {
  await reading(workbench);
  // At the name of an array both servers have a hover, at `nullptr` only the C++ server.
  const both = await hoverAt(workbench, 'tile[threadIdx.x]', /by the C\+\+ server/);
  assert.match(both, /wavefronts/);
  await workbench.picture('cuda-hover');
  await workbench.page.keyboard.press('Escape');
  const one = await hoverAt(workbench, 'nullptr', /by the C\+\+ server/);
  assert.ok(!/warplens|wavefront/.test(one), one);
});

add('completion, definition, renaming and formatting come from the C++ server alone', async (workbench) => {
  await reading(workbench);
  await workbench.goToLine(...placeOf('__syncthreads'));
  await workbench.page.keyboard.type('prop', { delay: 60 });
  const row = '.suggest-widget.visible .monaco-list-row';
  const proposed = await workbench.until('proposals', async () => {
    await workbench.page.keyboard.press('Control+Space');
    await workbench.page.waitForTimeout(1500);
    const text = await workbench.text(row);
    return text.includes('proposedByTheCppServer') && text;
  });
  assert.equal(proposed.trim().split('\n').length, 1, proposed);
  await workbench.page.keyboard.press('Escape');
  for (const _ of 'prop') await workbench.page.keyboard.press('Backspace');

  const place = () => workbench.text('#status\\.editor\\.selection');
  await workbench.goToLine(...placeOf('halve<<<'));
  await workbench.page.keyboard.press('F12');
  const [line, column] = placeOf('halve(float');
  await workbench.until('the definition', async () => (await place()).includes(`Ln ${line}, Col ${column}`));

  await workbench.page.keyboard.press('F2');
  const box = workbench.page.locator('.rename-box input');
  await box.waitFor({ state: 'visible' });
  await box.fill('half');
  await workbench.page.keyboard.press('Enter');
  await workbench.until('the new name', () => workbench.line('void half(float'));

  // A move of the cursor cancels formatting.
  await workbench.goToLine(1);
  await workbench.page.keyboard.press('Control+Shift+I');
  await workbench.until('the formatted text', () => workbench.line('formatted by the C++ server'));
  assert.ok(!(await workbench.isThere('.notification-toast')));
});

add('PTX is completed in the string of an asm statement', async (workbench) => {
  await reading(workbench);
  await workbench.goToLine(...placeOf('__syncthreads'));
  const written = 'asm("cp.';
  await workbench.page.keyboard.type(written, { delay: 60 });
  const row = '.suggest-widget.visible .monaco-list-row';
  await workbench.until('proposals', async () => (await workbench.text(row)).includes('async'));
  await workbench.page.keyboard.press('Escape');
  // Quotes and parentheses are deleted in pairs.
  for (const _ of written) await workbench.page.keyboard.press('Backspace');
  await workbench.until('the line as it was', () => workbench.line('__syncthreads();'));
});

add('a finding of CUDA has its quick fix', async (workbench) => {
  await reading(workbench);
  await workbench.until('the squiggles', () => workbench.isThere('.squiggly-warning'));
  await workbench.goToLine(...placeOf('0.3'));
  const fix = workbench.page.locator('.action-widget .monaco-list-row', { hasText: 'Make the constant single precision' });
  await workbench.until('the fix', async () => {
    await workbench.page.keyboard.press('Control+.');
    await fix.first().waitFor({ state: 'visible', timeout: 4000 });
    return true;
  });
  await fix.first().click();
  await workbench.until('the fixed line', () => workbench.line('data[i] * 0.3f;'));
  await lenses(workbench, (text) => /block 256/.test(text));
});

add('one server handles listings and CUDA, and both again after it is killed', async (workbench, server) => {
  await workbench.openFile('sgemm.txt');
  await lenses(workbench, (text) => /occupancy/.test(text));
  await reading(workbench);
  const [before] = await workbench.until('a single server', async () => server.languageServers().length === 1 && server.languageServers());
  kill(before, 'SIGKILL');
  await workbench.until('another server', async () => server.languageServers().length === 1 && server.languageServers()[0] !== before);
  // Only the new server can know of this launch.
  await workbench.goToLine(...placeOf('halve<<<64'));
  await workbench.page.keyboard.type('halve<<<1, 96>>>(nullptr); ', { delay: 5 });
  await lenses(workbench, (text) => /block 96/.test(text));
});

add('CUDA is left alone if the settings say so', async (workbench) => {
  await reading(workbench);
  workbench.settings({ 'warplens.leaveAlone': ['cuda'] });
  await lenses(workbench, (text) => !/block/.test(text));
  await workbench.until('the end of the squiggles', async () => !(await workbench.isThere('.squiggly-warning')));
  workbench.settings({});
  await lenses(workbench, (text) => /block 256/.test(text));
});
