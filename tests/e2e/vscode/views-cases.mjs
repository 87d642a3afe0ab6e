// Cases for compiled sources: costs at their lines, and views of their PTX and SASS. Scripts replace the vendor's tools; if the
// environment has a compiler, further cases run it.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { linesOfPane, writeSettings } from './workbench.mjs';

export const viewsCases = new Map();

const STAND_IN = join(process.env.WARPLENS_ROOT, 'tests/e2e/stand_in');
const FILE = 'scale.cu';
const SOURCE = readFileSync(join(STAND_IN, FILE), 'utf8');
/** Length in bytes of the folder's path that the test cubin contains for its source. */
const FOLDER_BYTES = 120;

/** Copies the tools into a folder. Their disassembler names `source` as the source of the code. */
function withTools(folder, source) {
  const tool = (name) => join(folder, 'tools', name);
  for (const name of ['nvcc', 'ptxas', 'nvdisasm', 'scale.cubin', 'scale.listing', 'scale_cu.cubin', 'scale_cu.ptx', 'tile.listing']) {
    cpSync(join(STAND_IN, name), tool(name));
  }
  const listing = readFileSync(join(STAND_IN, 'scale_cu.listing'), 'utf8');
  writeFileSync(tool('scale_cu.listing'), listing.replaceAll('/kernels/scale.cu', source));
  const programs = { 'warplens.nvcc.path': tool('nvcc'), 'warplens.ptxas.path': tool('ptxas'), 'warplens.disassembler': tool('nvdisasm') };
  writeSettings(folder, { ...programs, 'warplens.gpu': 'h100-sxm' });
}

function withCuda(folder) {
  cpSync(join(STAND_IN, FILE), join(folder, FILE));
  withTools(folder, join(folder, FILE));
}

function add(name, before, run) {
  run.before = before;
  viewsCases.set(name, run);
}

/** The line of the source that contains `part`, counted from 1. */
function lineOf(part) {
  return SOURCE.split('\n').findIndex((line) => line.includes(part)) + 1;
}

/** The pane whose tab has this name. */
function pane(workbench, name) {
  const tab = workbench.page.locator(`.tab.active[data-resource-name="${name}"]`);
  return workbench.page.locator('.editor-group-container', { has: tab });
}

/** The visible lines of a pane; if `isLit` is true, only the highlighted ones. */
function linesOf(workbench, name, isLit = false) {
  return linesOfPane(pane(workbench, name), isLit);
}

/** Waits until a line of a pane that contains `part` is highlighted, and returns all highlighted lines. */
async function litIn(workbench, name, part) {
  return workbench.until(`${part} highlighted in ${name}`, async () => {
    const lit = await linesOf(workbench, name, true);
    return lit.length > 0 && lit.some((line) => line.includes(part)) && lit;
  });
}

/** Waits for a line of a pane that contains `part`, and returns its text including hints. */
async function lineIn(workbench, name, part, isWanted = () => true) {
  return workbench.until(`${part} in ${name}`, async () => {
    const line = (await linesOf(workbench, name)).find((text) => text.includes(part));
    return line && isWanted(line) && line;
  });
}

async function lens(workbench, pattern) {
  return workbench.until(`a lens like ${pattern}`, async () => {
    const text = await workbench.text('.codelens-decoration');
    return pattern.test(text) && text;
  });
}

/** Clicks on a line of a pane, near its start: its middle may lie beyond the pane's edge. */
async function focus(workbench, name, part) {
  await pane(workbench, name).locator('.view-line', { hasText: part }).first().click({ position: { x: 40, y: 6 } });
}

add('CUDA is compiled while it is typed, and figures of an older text are marked', withCuda, async (workbench) => {
  await workbench.openFile(FILE);
  const fresh = await lineIn(workbench, FILE, 'y[i * 8]', (line) => / instr/.test(line));
  assert.ok(!fresh.includes('?'), fresh);
  const own = await lens(workbench, /occupancy/);
  assert.ok(!own.includes('older code'), own);
  await workbench.restMouse();
  await workbench.picture('live');
  await workbench.goToLine(1);
  await workbench.page.keyboard.type('int slow;', { delay: 5 });
  await workbench.page.keyboard.press('Enter');
  await lineIn(workbench, FILE, 'y[i * 8]', (line) => line.endsWith('?'));
  await lens(workbench, /older code: /);
  await workbench.picture('live-older');
  await workbench.goToLine(1);
  await workbench.page.keyboard.press('Control+Shift+K');
  await lineIn(workbench, FILE, 'y[i * 8]', (line) => line === fresh);
  await lens(workbench, /^(?!.*older code).*occupancy/s);
});

/** Opens the source, and its PTX and its SASS to its right. */
async function threePanes(workbench) {
  await workbench.openFile(FILE);
  await lens(workbench, /occupancy/);
  await workbench.page.keyboard.press('Control+B');
  await workbench.goToLine(lineOf('y[i * 8]'));
  await workbench.command('warplens: Show PTX');
  await lineIn(workbench, `${FILE}.ptx`, 'st.global');
  await workbench.command('warplens: Show SASS');
  await lineIn(workbench, `${FILE}.nvsass`, 'SHF.L.U32');
}

add('CUDA, its PTX and its SASS stay in sync', withCuda, async (workbench) => {
  await threePanes(workbench);
  await litIn(workbench, `${FILE}.ptx`, 'st.global.f32');
  await litIn(workbench, `${FILE}.nvsass`, 'SHF.L.U32');
  await workbench.restMouse();
  await workbench.picture('three-panes');
  // From the PTX to the other two panes.
  await focus(workbench, `${FILE}.ptx`, 'cvta.to.global.u64');
  await litIn(workbench, FILE, 'blockIdx.x');
  await litIn(workbench, `${FILE}.nvsass`, 'S2R');
  // By commands, from one pane to the next.
  const place = () => workbench.text('#status\\.editor\\.selection');
  await workbench.command('warplens: Go to SASS');
  await workbench.until('the SASS to be active', () => workbench.isThere('.editor-group-container.active .tab.active[data-resource-name$=".nvsass"]'));
  await litIn(workbench, `${FILE}.ptx`, 'mov.u32');
  await workbench.command('warplens: Go to Source');
  await workbench.until('the line of the source', async () => (await place()).includes(`Ln ${lineOf('blockIdx')},`));
  // Once the group of the source is active, the focus has moved to it and keys go there.
  await workbench.until('the source to be active', () => workbench.isThere(`.editor-group-container.active .tab.active[data-resource-name="${FILE}"]`));
  await workbench.page.waitForTimeout(1000);
  // The PTX is that of the current text.
  await workbench.page.keyboard.press('Home');
  await workbench.page.keyboard.press('Enter');
  await workbench.goToLine(lineOf('scale<<<'));
  const lines = SOURCE.split('\n').length + 1;
  await pane(workbench, `${FILE}.ptx`).locator('.view-line').first().click({ position: { x: 40, y: 6 } });
  await workbench.page.keyboard.press('Control+End');
  await lineIn(workbench, `${FILE}.ptx`, `// of ${lines} lines`);
  await workbench.settings({ ...JSON.parse(readFileSync(join(workbench.folder, '.vscode/settings.json'), 'utf8')), 'warplens.colourBlocks': false });
  await workbench.page.keyboard.press('Control+Home');
  const shades = '.view-overlays .cdr[class*="ced-"]';
  await workbench.until('no blocks', async () => (await pane(workbench, `${FILE}.ptx`).locator(shades).count()) === 0);
});

add('the code of a version is pinned and compared', withCuda, async (workbench) => {
  await workbench.openFile(FILE);
  await lens(workbench, /occupancy/);
  await workbench.command("warplens: Pin This Version's Code");
  await workbench.until('the message', async () => (await workbench.text('.statusbar')).includes('pinned'));
  // The scripts produce the same code for any text.
  await workbench.goToLine(lineOf('void launch') - 1);
  await workbench.page.keyboard.type('int more;', { delay: 5 });
  await workbench.page.waitForTimeout(3000);
  await workbench.command('warplens: Compare the Code with the Pinned Version');
  const sides = await workbench.until('both versions', async () => {
    const lines = await workbench.page.locator('.monaco-diff-editor .view-line').allTextContents();
    const heads = lines.filter((line) => /\d+.instructions,.\d+.registers/.test(line));
    return heads.length === 2 && heads;
  });
  // The compared texts are not listings, so they have no findings.
  assert.ok(!(await workbench.isThere('.monaco-diff-editor .squiggly-info')));
  assert.equal(sides[0], sides[1]);
  await workbench.picture('compare');
});

/** Writes a Python source and a cubin that names it. The path of its folder is padded to the length of the path in the cubin. */
function withCubin(folder) {
  const inner = join(folder, 'k'.repeat(FOLDER_BYTES - Buffer.byteLength(folder) - 1));
  mkdirSync(inner, { recursive: true });
  mkdirSync(join(folder, 'cache'));
  writeFileSync(join(inner, 'scale.py'), SOURCE);
  writeFileSync(join(folder, 'warplens.toml'), 'gpu = "h100-sxm"\ncubins = ["cache/**"]\n');
  withTools(folder, join(inner, 'scale.py'));
  const tool = join(folder, 'tools/nvdisasm');
  writeFileSync(tool, '#!/bin/sh\ncat "$(dirname "$0")/scale_cu.listing"\n', { mode: 0o755 });
  const cubin = readFileSync(join(STAND_IN, 'scale_py.cubin'));
  const at = cubin.indexOf(`/${'k'.repeat(FOLDER_BYTES - 1)}`);
  cubin.write(inner, at);
  writeFileSync(join(folder, 'cache/k.cubin'), cubin);
}

add('a Python file that a cubin names shows what its lines cost', withCubin, async (workbench) => {
  await workbench.pick(() => workbench.page.keyboard.press('Control+P'), 'scale.py', 'scale.py');
  const fresh = await lineIn(workbench, 'scale.py', 'y[i * 8]', (line) => / instr/.test(line));
  assert.ok(!fresh.includes('?'), fresh);
  await lens(workbench, /occupancy/);
  await workbench.restMouse();
  await workbench.picture('python');
  await workbench.command('warplens: Show SASS');
  await lineIn(workbench, 'scale.py.nvsass', 'S2R');
  await workbench.restMouse();
  await workbench.picture('python-sass');
  await workbench.goToLine(1);
  await workbench.page.keyboard.type('# more', { delay: 5 });
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.press('Control+S');
  await lineIn(workbench, 'scale.py', 'y[i * 8]', (line) => line.endsWith('?'));
  await lens(workbench, /older code: /);
});

/** Writes the source with a macro for its block size, and a `warplens.toml` that tunes it. */
function withTuning(folder) {
  const text = SOURCE.replace('<<<64, 256>>>', '<<<16384 / BLOCK, BLOCK>>>').replace('\n\n', '\n#define BLOCK 256\n');
  writeFileSync(join(folder, FILE), text);
  withTools(folder, join(folder, FILE));
  const tuning = ['[tune.scale]', 'shapes = [{ N = 1024 }]', 'grid = ["N / BLOCK"]', 'block = ["BLOCK"]', 'params = ["ptr", "ptr", "N"]'];
  writeFileSync(join(folder, 'warplens.toml'), [...tuning, '[tune.scale.parameters]', 'BLOCK = [64, 256, 1024]', ''].join('\n'));
}

add('a click on the lens of a kernel tunes it, and a page shows its variants', withTuning, async (workbench) => {
  await workbench.openFile(FILE);
  const lens = workbench.page.locator('.codelens-decoration a', { hasText: 'Tune `scale` for N=1024' });
  await workbench.until('the lens', async () => (await lens.count()) === 1);
  await lens.click();
  const inside = await workbench.until('the page', async () => {
    for (const frame of workbench.page.frames()) {
      const head = await frame.locator('h1').allTextContents().catch(() => []);
      if (head.includes('scale for N=1024')) return frame;
    }
    return undefined;
  });
  const text = await inside.locator('main').textContent();
  for (const part of ['3 of 3 variants compiled', 'best BLOCK = 64', 'does not state which problem the kernel computes']) {
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  }
  // Each parameter has a column.
  assert.equal(await inside.locator('thead th').first().textContent(), 'BLOCK');
  const values = await inside.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent.trim()).join(' ').trim()));
  assert.deepEqual(values.toSorted(), ['1024', '256 now', '64']);
  // The picture is loaded: the content security policy allows it.
  assert.ok(await inside.locator('img').evaluate((image) => image.complete && image.naturalWidth > 0), 'no picture');
  await workbench.until('the outcome in the lens', async () => /N=1024: best BLOCK = \d+/.test(await workbench.text('.codelens-decoration')));
  await workbench.picture('tuning');
});

/** The folder with nvcc: that of CUDA_HOME, otherwise the first one on PATH; undefined if neither exists. */
function compiler() {
  const homes = process.env.CUDA_HOME ? [join(process.env.CUDA_HOME, 'bin')] : [];
  const folders = [...homes, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'nvcc')));
}

const found = compiler();
if (found) {
  const before = (folder) => {
    cpSync(join(STAND_IN, FILE), join(folder, FILE));
    const programs = { 'warplens.nvcc.path': found, 'warplens.ptxas.path': found, 'warplens.disassembler': join(found, 'nvdisasm') };
    writeSettings(folder, { ...programs, 'warplens.gpu': 'h100-sxm' });
  };
  add('with a real nvcc, figures, views and the comparison are those of the text', before, async (workbench) => {
    await threePanes(workbench);
    await litIn(workbench, `${FILE}.ptx`, 'st.global');
    await litIn(workbench, `${FILE}.nvsass`, 'SHF.L.U32');
    await workbench.restMouse();
    await workbench.picture('three-panes-nvcc');
    await workbench.command("warplens: Pin This Version's Code");
    await workbench.goToLine(lineOf('2.0f'), SOURCE.split('\n')[1].indexOf('2.0f') + 1);
    await workbench.page.keyboard.press('Delete');
    await workbench.page.keyboard.type('3', { delay: 5 });
    await lineIn(workbench, `${FILE}.nvsass`, 'FMUL');
    await lineIn(workbench, `${FILE}.ptx`, 'mul.f32');
    await lineIn(workbench, FILE, 'y[i * 8]', (line) => / instr/.test(line) && !line.includes('?'));
    await workbench.command('warplens: Compare the Code with the Pinned Version');
    await workbench.until('what changed', async () => {
      const lines = await workbench.page.locator('.monaco-diff-editor .view-line').allTextContents();
      return lines.some((line) => line.includes('FADD')) && lines.some((line) => line.includes('FMUL'));
    });
    await workbench.picture('compare-nvcc');
  });
  add('with a real nvcc, the menu of actions shows the gain of each', before, async (workbench) => {
    await workbench.openFile(FILE);
    await lineIn(workbench, FILE, 'y[i * 8]', (line) => / instr/.test(line));
    await workbench.goToLine(lineOf('float *y, int n'), SOURCE.split('\n')[lineOf('float *y, int n') - 1].indexOf('float *y') + 1);
    const rows = workbench.page.locator('.action-widget .monaco-list-row');
    await workbench.until('a gain in a title', async () => {
      await workbench.page.keyboard.press('Control+.');
      await rows.first().waitFor({ state: 'visible', timeout: 4000 });
      const titles = await rows.allTextContents();
      const isTold = titles.some((title) => title.includes('__restrict__') && /\[compiled: .*\]/.test(title));
      if (!isTold) await workbench.page.keyboard.press('Escape');
      return isTold;
    });
    await workbench.picture('gains');
    await workbench.page.keyboard.press('Escape');
  });
}
