// Cases for reading code: heat, producers and consumers, encodings, the panel, lenses, and listings older than their source.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { said, withCompiler } from './cases.mjs';
import { writeSettings } from './workbench.mjs';

export const readingCases = new Map();

const LISTING = 'sgemm.txt';

function add(name, run, before) {
  run.before = before;
  readingCases.set(name, run);
}

async function open(workbench) {
  await workbench.openFile(LISTING);
  await workbench.until('hints', async () => /\/\*0000\*\/.*\dc/.test(await workbench.line('/*0000*/')));
}

/** The first line of the listing that contains `part`, counted from 1. */
function lineOf(workbench, part) {
  return readFileSync(join(workbench.folder, LISTING), 'utf8').split('\n').findIndex((line) => line.includes(part)) + 1;
}

/** The texts that decorations draw after visible text. */
function endings(workbench) {
  return workbench.page.$$eval('.editor-group-container.active .view-line span', (all) =>
    all.map((one) => getComputedStyle(one, '::after').content).filter((text) => text !== 'none' && text !== 'normal').map((text) => text.replaceAll('"', '').replaceAll('\u00a0', ' ')),
  );
}

/** The styles of the visible pieces of text that contain an encoding. */
function encodings(workbench) {
  return workbench.page.$$eval('.editor-group-container.active .view-line span span', (all) =>
    all.filter((one) => /\/\*[\s\u00a0]0x[0-9a-f]{16}/.test(one.textContent)).map((one) => ({ opacity: getComputedStyle(one).opacity, display: getComputedStyle(one).display, left: one.getBoundingClientRect().left })),
  );
}

const position = (workbench) => workbench.text('#status\\.editor\\.selection');
const bars = '.editor-group-container.active .margin-view-overlays .cgmr, .editor-group-container.active .glyph-margin-widgets .cgmr';

add('without a profile, heat is predicted, and commands go from one hot spot to the next', async (workbench) => {
  await open(workbench);
  await workbench.until('bars in the gutter', async () => (await workbench.page.locator(bars).count()) > 1);
  await workbench.until('the explanation of a bar', async () => {
    await workbench.restMouse();
    await workbench.word('/\\*0090\\*/').first().hover();
    await workbench.page.waitForTimeout(1500);
    return /\d %.*predicted/.test(await workbench.text('.monaco-hover .hover-contents'));
  });
  await workbench.restMouse();
  await workbench.picture('heat');
  await workbench.goToLine(1);
  await workbench.page.keyboard.press('Alt+j');
  const first = await workbench.until('a hot spot', async () => !/Ln 1,/.test(await position(workbench)) && position(workbench));
  await workbench.page.keyboard.press('Alt+j');
  await workbench.until('the next hot spot', async () => (await position(workbench)) !== first);
  await workbench.page.keyboard.press('Shift+Alt+j');
  await workbench.until('the first one again', async () => (await position(workbench)) === first);
  await workbench.pick(async () => workbench.page.keyboard.press('F1'), '>warplens: Show Hottest Lines', 'Show Hottest Lines');
  const rows = '.quick-input-list .monaco-list-row';
  await workbench.until('the hottest lines', async () => /\d %/.test(await workbench.text(rows)) && (await workbench.page.locator(rows).count()) > 2);
  const title = await workbench.text('.quick-input-title');
  assert.match(title, /hottest lines, predicted for/);
  assert.equal(title.match(/predicted/g).length, 1, title);
  await workbench.picture('hottest');
  await workbench.page.locator(rows).first().click();
  workbench.settings({ 'warplens.heat': false });
  await workbench.until('no bars', async () => (await workbench.page.locator(bars).count()) === 0);
});

add('producers and consumers of the instruction at the cursor are marked if that is switched on', async (workbench) => {
  await open(workbench);
  const line = lineOf(workbench, 'LEA R5, R5, R12');
  await workbench.goToLine(line);
  assert.ok(!(await endings(workbench)).some((text) => /writes|reads/.test(text)));
  await workbench.command('warplens: Show Producers and Consumers of the Instruction');
  await workbench.until('producers', async () => (await endings(workbench)).some((text) => /▲ writes R(5|12)/.test(text)));
  await workbench.until('consumers', async () => (await endings(workbench)).some((text) => /▼ reads R5/.test(text)));
  await workbench.restMouse();
  await workbench.picture('relations');
  await workbench.goToLine(2);
  await workbench.until('no marks', async () => !(await endings(workbench)).some((text) => /writes|reads/.test(text)));
  await workbench.goToLine(line);
  await workbench.until('marks', async () => (await endings(workbench)).some((text) => /writes/.test(text)));
  await workbench.command('warplens: Show Producers and Consumers of the Instruction');
  await workbench.until('no marks', async () => !(await endings(workbench)).some((text) => /writes|reads/.test(text)));
});

add('encodings are dimmed, hidden and shown by one command', async (workbench) => {
  await open(workbench);
  const all = async (isWanted) => {
    const found = await encodings(workbench);
    return found.length > 4 && found.every(isWanted);
  };
  await workbench.until('dimmed encodings', () => all(({ opacity }) => Number(opacity) < 0.5));
  // Hints push the encodings after instructions to the right; the encodings in the lines below are aligned with them.
  await workbench.until('one column of encodings', async () => {
    const found = await encodings(workbench);
    return found.length > 4 && found.every(({ left }) => Math.abs(left - found[0].left) < 4);
  });
  await workbench.restMouse();
  await workbench.picture('encodings-dimmed');
  const before = (await workbench.lines()).length;
  await workbench.command('warplens: Toggle Encodings');
  await workbench.until('hidden encodings', () => all(({ display }) => display === 'none'));
  // No line has moved.
  assert.equal((await workbench.lines()).length, before);
  await workbench.restMouse();
  await workbench.picture('encodings-hidden');
  await workbench.command('warplens: Toggle Encodings');
  await workbench.until('encodings as they are', () => all(({ opacity, display }) => opacity === '1' && display !== 'none'));
  await workbench.picture('encodings-shown');
});

/** The page inside the panel, once it has a heading. */
async function panelPage(workbench) {
  return workbench.until('the page in the panel', async () => {
    for (const frame of workbench.page.frames()) {
      if (await frame.locator('main#kernel h1').count().catch(() => 0)) return frame;
    }
    return undefined;
  });
}

/** Pairs of labels in a picture that overlap. */
function overlaps(svg) {
  const boxes = [...svg.querySelectorAll('text')].map((one) => ({ text: one.textContent, box: one.getBBox() }));
  const meet = ({ box: one }, { box: other }) =>
    one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
  return boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => meet(one, other)).map((other) => `${one.text} on ${other.text}`));
}

add('the panel has curves of occupancy, and the kernel on other GPUs once that section is opened', async (workbench) => {
  await open(workbench);
  await workbench.goToLine(9);
  await workbench.command('warplens: Show Kernel Panel');
  const page = await panelPage(workbench);
  await page.locator('.curves figure').first().waitFor({ state: 'visible' });
  assert.equal(await page.locator('.curves figure').count(), 3);
  for (const svg of await page.locator('.curves svg').all()) assert.equal((await svg.evaluate(overlaps)).join(), '');
  const text = await page.locator('main').textContent();
  assert.match(text, /per thread/);
  assert.match(text, /Bottleneck scores of the ICS’17 model, not of the simulation above/);
  assert.doesNotMatch(text, /`|a thread|a block|an SM|of the part/);
  await workbench.bring(page.locator('.curves figure').first());
  await workbench.picture('occupancy');
  await page.locator('summary', { hasText: 'On other GPUs' }).click();
  await page.locator('table.gpus .current').waitFor({ state: 'visible' });
  assert.match(await page.locator('table.gpus').textContent(), /H100.*H200/s);
  await workbench.bring(page.locator('table.gpus'));
  await workbench.picture('other-gpus');
});

/** Writes a `warplens.toml` that states everything that the cycles of the kernel depend on. */
function withLaunch(folder) {
  const words = { '0x210': '"ptr"', '0x218': '"ptr"', '0x220': '"ptr"', '0x228': 512, '0x22c': 512, '0x230': 512, '0x234': 1065353216, '0x238': 0 };
  const constants = Object.entries(words).map(([offset, value]) => `"${offset}" = ${value}`).join(', ');
  const launch = ['[[launch]]', 'function = "sgemm16"', 'grid = [8, 8, 1]', 'block = [16, 16, 1]', `const = { ${constants} }`, ''];
  writeFileSync(join(folder, 'warplens.toml'), launch.join('\n'));
}

add('a click on the lens of a kernel opens its panel', async (workbench) => {
  await open(workbench);
  const lens = workbench.page.locator('.codelens-decoration a');
  await workbench.until('cycles in the lens', async () => /^\S*\d.* cycles/.test(await lens.first().textContent()));
  await workbench.restMouse();
  await workbench.picture('lens');
  await lens.first().click();
  const page = await panelPage(workbench);
  assert.match(await page.locator('h1').first().textContent(), /sgemm16/);
}, withLaunch);

add('a click on the lens of a kernel without a launch writes one to fill in', async (workbench) => {
  await open(workbench);
  const lens = workbench.page.locator('.codelens-decoration a');
  await workbench.until('values to state in the lens', async () => /^state c\[0x0\]\[0x210\].* for cycles/.test(await lens.first().textContent()));
  await workbench.restMouse();
  await workbench.picture('lens-to-state');
  await lens.first().click();
  await workbench.until('the file', async () => /warplens\.toml/.test(await workbench.text('.tab.active')));
  await workbench.until('the first value selected', async () => (await position(workbench)).startsWith('Ln 3, Col 11 (3 selected)'));
  const lines = await workbench.lines();
  assert.ok(lines.some((line) => line.includes('function = "sgemm16"')), lines.join('\n'));
  assert.ok(lines.some((line) => line.includes('const = { "0x210" = "?", "0x228" = "?"')), lines.join('\n'));
  await workbench.picture('launch-to-fill-in');
});

add('a message offers to open a listing in a .sass file as SASS', async (workbench) => {
  await workbench.openFile('style.sass');
  await workbench.openFile('listing.sass');
  const yes = await said(workbench, /This looks like a SASS listing/, 'Yes');
  await workbench.picture('sass-file');
  await yes.click();
  await workbench.until('SASS', async () => /SASS \(NVIDIA\)/.test(await workbench.text('#status\\.editor\\.mode')));
});

add('the GPU is in the status bar, and the server in the language status', async (workbench) => {
  await open(workbench);
  const item = '.statusbar-item[id$="warplens.gpu"]';
  await workbench.until('the GPU', async () => /H100/.test(await workbench.text(item)));
  await workbench.page.locator(`${item} a`).click();
  await workbench.pickRow('Tesla V100');
  await workbench.until('the other GPU', async () => /V100/.test(await workbench.text(item)));
  await workbench.until('the server', async () => {
    await workbench.page.locator('#status\\.languageStatus').first().hover();
    return /Language server: warplens 0\./.test(await workbench.text('.hover-language-status'));
  });
  await workbench.picture('gpu-bar');
});

add('if ptxas is missing, a button opens the settings in which its path counts', async (workbench) => {
  await workbench.openFile('größer.ptx');
  await workbench.command('warplens: Show SASS');
  await (await said(workbench, /ptxas not found.*Remote settings/, 'Set ptxas')).click();
  await workbench.until('the setting', async () => /Ptxas: Path/.test(await workbench.text('.settings-editor .settings-tree-container')));
  assert.match(await workbench.text('.settings-editor .settings-tabs-widget .checked'), /Remote/);
  await workbench.picture('set-ptxas');
}, (folder) => {
  withCompiler(folder);
  writeSettings(folder, {});
});

add('a listing says that its PTX is newer until the PTX compiles, and repeats none of its findings', async (workbench) => {
  await workbench.openFile('größer.ptx');
  await workbench.command('warplens: Show SASS');
  const tab = workbench.page.locator('.tab', { hasText: 'größer.ptx.nvsass' });
  await tab.first().waitFor({ state: 'visible' });
  assert.ok(!(await workbench.text('.codelens-decoration')).includes('was edited after'));
  await workbench.page.keyboard.press('Control+Shift+M');
  const files = '.markers-panel .monaco-list-row .monaco-icon-label';
  await workbench.page.waitForTimeout(1500);
  assert.doesNotMatch(await workbench.text(files), /nvsass/);
  await workbench.page.keyboard.press('Control+1');
  await workbench.goToLine(20);
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.type(' %wrong');
  await workbench.until('a lens above the listing', async () => /größer\.ptx was edited after this SASS was generated/.test(await workbench.text('.codelens-decoration')));
  await workbench.picture('older-sass');
  await workbench.page.keyboard.press('Control+1');
  for (const _ of ' %wrong') await workbench.page.keyboard.press('Backspace');
  // The listing is generated again once typing pauses.
  await workbench.until('a newer listing', async () => !(await workbench.text('.codelens-decoration')).includes('was edited after'));
}, withCompiler);

add("the code of a finding opens its rule's page", async (workbench) => {
  await open(workbench);
  await workbench.goToLine(25);
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.type('\n/*0091*/                   LEAX R5, R5, R12 ;', { delay: 5 });
  await workbench.page.keyboard.press('Control+Shift+M');
  const link = workbench.page.locator('.markers-panel a', { hasText: 'unknown-opcode' }).first();
  await link.waitFor({ state: 'visible' });
  await link.click();
  await workbench.until('the page', async () => /\.md/.test(await workbench.text('.tab.active')));
  await workbench.restMouse();
  await workbench.picture('rule-page');
});

add("the extension's page has no broken pictures, and its walkthrough has the pictures", async (workbench) => {
  await workbench.command('Extensions: Show Installed Extensions');
  await workbench.page.locator('.extensions-list .monaco-list-row', { hasText: 'warplens' }).first().click();
  const page = await workbench.until('the page', async () => {
    for (const frame of workbench.page.frames()) {
      if (await frame.locator('h1', { hasText: 'warplens for VS Code' }).count().catch(() => 0)) return frame;
    }
    return undefined;
  });
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('a[href^="screenshots"]').count(), 0);
  await workbench.picture('extension-page');
  await workbench.command('Welcome: Open Walkthrough...');
  await workbench.pickRow('warplens: SASS, PTX and CUDA');
  const image = workbench.page.locator('.getting-started-media img, .gettingStartedContainer img').first();
  await image.waitFor({ state: 'visible' });
  await workbench.until('a picture', () => image.evaluate((one) => one.naturalWidth > 100));
  await workbench.picture('walkthrough');
});
