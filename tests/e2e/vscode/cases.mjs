// Cases for listings: what users do in the first minutes, and what they must see. Hints are between the address and the opcode of
// an instruction, in the same line of the view.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { kill } from 'node:process';
import { linesOfPane, writeSettings } from './workbench.mjs';

export const cases = new Map();

const LISTING = 'sgemm.txt';

/** Opens the listing, waits for the hints of its first instruction, and returns them. */
async function reading(workbench) {
  await workbench.openFile(LISTING);
  return hintsBeside(workbench, '/*0000*/');
}

/**
 * Waits for the text between the address and the opcode of a visible instruction, by default until it contains a number; returns
 * it.
 */
async function hintsBeside(workbench, address, isWanted = (hints) => /\d/.test(hints)) {
  return workbench.until(`hints at ${address}`, async () => {
    const line = await workbench.line(address);
    const hints = line && /^(.*?)(?:\s+@!?U?P\d)?\s+[A-Z]{2,}[A-Z0-9]*[. ]/.exec(line.slice(line.indexOf(address) + address.length))?.[1].trim();
    return hints && isWanted(hints) && hints;
  });
}

/** Waits for the server's colours: the grammar alone gives special registers and predicates the same one. */
async function serverColours(workbench) {
  const colour = (word) => workbench.word(word).first().getAttribute('class', { timeout: 1000 });
  await workbench.until("the server's colours", async () => (await colour('SR_TID.X')) !== (await colour('PT')));
}

/** Waits until this case has exactly one server, and returns its process id in a list. */
async function onlyServer(workbench, server) {
  return workbench.until('a single server', async () => server.languageServers().length === 1 && server.languageServers());
}

/** Opens the language status, `{}` in the status bar, and returns its text once `isWanted` accepts it. */
async function languageStatus(workbench, isWanted) {
  const hover = workbench.page.locator('.hover-language-status');
  return workbench.until('the language status', async () => {
    await workbench.page.locator('#status\\.languageStatus').first().hover();
    await hover.first().waitFor({ state: 'visible', timeout: 3000 });
    const text = await workbench.text('.hover-language-status');
    return isWanted(text) && text;
  });
}

cases.set('hints, colours and a lens appear without a command', async (workbench) => {
  assert.match(await reading(workbench), /\d+c.*@\s+0$/);
  assert.match(await hintsBeside(workbench, '/*0090*/'), /4c.*@/);
  await serverColours(workbench);
  const lens = await workbench.until('a lens', async () => (await workbench.text('.codelens-decoration')).includes('occupancy') && workbench.text('.codelens-decoration'));
  assert.match(lens, /reg/);
  assert.match(await workbench.text('#status\\.editor\\.mode'), /SASS \(NVIDIA\)/);
  await workbench.picture('hints');
});

cases.set('the kernel at the cursor is copied in the notation of another assembler', async (workbench) => {
  await reading(workbench);
  const clipboard = () => workbench.page.evaluate(() => navigator.clipboard.readText());
  await workbench.goToLine(9);
  await workbench.command('warplens: Copy as CuAssembler');
  const copied = await workbench.until('a copy', async () => (await clipboard()).startsWith('      [B') && clipboard());
  assert.match(copied, /\n {6}\[B[0-5-]{6}:R.:W.:.:S\d\d\] {9}\/\*0010\*\/ {19}LDC R0, /);
  assert.match(copied, /BRA `\(\.L_[0-9a-f]+\) ;/);
  await workbench.command('warplens: Copy as maxas');
  const refusal = workbench.page.locator('.notification-toast', { hasText: /maxas does not support sm_90; use TuringAs or CuAssembler/ });
  await refusal.first().waitFor({ state: 'visible' });
});

cases.set('a hover explains an instruction', async (workbench) => {
  await reading(workbench);
  const text = await workbench.until('a hover', async () => {
    // The text under the mouse may have moved when hints appeared.
    await workbench.restMouse();
    await workbench.word('LEA').first().hover();
    await workbench.page.waitForTimeout(2000);
    const shown = await workbench.text('.monaco-hover .hover-contents');
    return shown.includes('LEA') && /cycles/.test(shown) && shown;
  });
  assert.match(text, /[Ll]atency/);
  await workbench.picture('hover');
});

/** Follows the link in the hover of the first `ISETP` to the `LDC` at 0x0010 that it waits for, in this line of the document. */
async function toTheCause(workbench, line, before = async () => {}) {
  const place = () => workbench.text('#status\\.editor\\.selection');
  const link = workbench.page.locator('.monaco-editor .monaco-hover .hover-contents a', { hasText: '0x0010' });
  await workbench.until('a link in the hover', async () => {
    await workbench.restMouse();
    await workbench.word('ISETP').first().hover();
    await link.first().waitFor({ state: 'attached', timeout: 5000 });
    return true;
  });
  await workbench.bring(link.first());
  await before();
  await link.first().click();
  await workbench.until('the cause', async () => (await place()).startsWith(`Ln ${line},`));
  assert.ok(!(await workbench.isThere('.notification-toast')));
}

cases.set('the hover of a stall leads to the line that causes it', async (workbench) => {
  await reading(workbench);
  await toTheCause(workbench, 9, () => workbench.picture('stall'));
});

cases.set('a broken line gets a finding, and loses it once it is fixed', async (workbench) => {
  await reading(workbench);
  assert.ok(!(await workbench.isThere('.squiggly-error')));
  await workbench.goToLine(25);
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.type('\n/*0091*/                   LEA R5, R5, [R12, 0x4 ;', { delay: 5 });
  await workbench.until('a squiggle', () => workbench.isThere('.squiggly-error'));
  await workbench.page.keyboard.press('Control+Shift+M');
  const problem = await workbench.until('a problem', async () => (await workbench.text('.markers-panel .monaco-list-row')).includes('warplens') && workbench.text('.markers-panel .monaco-list-row'));
  assert.match(problem, /syntax-error/);
  await workbench.picture('finding');
  await workbench.page.keyboard.press('Control+Shift+M');
  await workbench.goToLine(26);
  await workbench.page.keyboard.press('Control+Shift+K');
  await workbench.until('the end of the squiggle', async () => !(await workbench.isThere('.squiggly-error')));
});

cases.set('the definition and the uses of a register are found', async (workbench) => {
  await reading(workbench);
  // Line 27 is `LEA R4, R11, R6, 0x4`; R11 comes from the `S2R R11, SR_CTAID.X` of line 19.
  const place = () => workbench.text('#status\\.editor\\.selection');
  await workbench.goToLine(27, 44);
  await workbench.until('the cursor in line 27', async () => /Ln 27, Col 44/.test(await place()));
  await workbench.page.keyboard.press('F12');
  await workbench.until('the definition', async () => /Ln 19, Col 40/.test(await place()));
  await workbench.restMouse();
  await workbench.picture('definition');
  await workbench.page.keyboard.press('Shift+F12');
  await workbench.until('the uses', async () => /S2R R11.*LEA R4, R11/s.test(await workbench.text('.peekview-widget .ref-tree .monaco-list-row')));
});

cases.set('errors in warplens.toml are shown while it is typed', async (workbench) => {
  await reading(workbench);
  await workbench.openFile('warplens.toml');
  assert.ok(!(await workbench.isThere('.squiggly-error')));
  await workbench.goToLine(1);
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.type('limits = 1');
  await workbench.until('a squiggle', () => workbench.isThere('.squiggly-error'));
  await workbench.page.keyboard.press('Control+Shift+M');
  const row = '.markers-panel .monaco-list-row';
  await workbench.until('a problem', async () => /limits.*expected a table/s.test(await workbench.text(row)));
  await workbench.page.keyboard.press('Control+1');
  for (const _ of 'limits = 1') await workbench.page.keyboard.press('Backspace');
  await workbench.until('the end of the squiggle', async () => !(await workbench.isThere('.squiggly-error')));
});
cases.get('errors in warplens.toml are shown while it is typed').before = (folder) => {
  writeFileSync(join(folder, 'warplens.toml'), 'gpu = "t4"\n');
};

const FIXED = 'warplens.toml alone starts the server, which completes, explains, colours and fixes it';
cases.set(FIXED, async (workbench) => {
  await workbench.openFile('warplens.toml');
  await workbench.until('a squiggle', () => workbench.isThere('.squiggly-error'));
  const colour = (word) => workbench.word(word).first().getAttribute('class', { timeout: 1000 });
  await workbench.until('colours', async () => (await colour('listing')) !== (await colour('"t4"')));
  await workbench.goToLine(1);
  await workbench.page.keyboard.press('Control+.');
  const fix = workbench.page.locator('.action-widget .monaco-list-row', { hasText: 'Change `listing` to `listings`' });
  await fix.first().waitFor({ state: 'visible' });
  await workbench.page.keyboard.press('Enter');
  await workbench.until('the fix', async () => (await workbench.line('listings')) !== undefined);
  await workbench.until('the end of the squiggle', async () => !(await workbench.isThere('.squiggly-error')));
  await workbench.goToLine(3);
  await workbench.page.keyboard.type('[rul');
  await workbench.page.keyboard.press('Control+Space');
  await workbench.takeProposal('[rules]');
  await workbench.until('the header', async () => (await workbench.line('[rules]')) !== undefined);
  await workbench.restMouse();
  await workbench.word('gpu').first().hover();
  await workbench.until('a hover', async () => /GPU that the numbers are for/.test(await workbench.text('.monaco-hover .hover-contents')));
});
cases.get(FIXED).before = (folder) => {
  writeFileSync(join(folder, 'warplens.toml'), 'listing = []\ngpu = "t4"\n\n');
};

cases.set('a kernel folds', async (workbench) => {
  await reading(workbench);
  await workbench.until('a place to fold at', () => workbench.isThere('.codicon-folding-expanded'));
  await workbench.goToLine(5);
  await workbench.page.keyboard.press('Control+Shift+[');
  await workbench.until('the folded kernel', async () => {
    const lines = await workbench.lines();
    return lines.some((line) => line.includes('Function : sgemm16')) && !lines.some((line) => line.includes('/*0000*/'));
  });
  await workbench.picture('folding');
  await workbench.page.keyboard.press('Control+Shift+]');
  await hintsBeside(workbench, '/*0000*/');
});

cases.set('another GPU has other hints', async (workbench) => {
  const before = await reading(workbench);
  const shown = await languageStatus(workbench, (text) => text.includes('H100'));
  assert.match(shown, /assumed: the file names sm_90/);
  assert.match(shown, /warplens 0\./);
  await workbench.picture('status');
  const change = workbench.page.locator('.hover-language-status a', { hasText: 'Change' });
  await change.first().click();
  await workbench.pickRow('Tesla V100');
  const after = await hintsBeside(workbench, '/*0000*/', (hints) => /\d/.test(hints) && hints !== before);
  assert.notEqual(after, before);
  await workbench.page.mouse.move(700, 300);
  await languageStatus(workbench, (text) => text.includes('V100'));
  await workbench.picture('another-gpu');
});

/** Selects whole lines, counted from 1. */
async function selectLines(workbench, first, last) {
  await workbench.goToLine(first);
  for (let line = first; line < last; line++) await workbench.page.keyboard.press('Shift+ArrowDown');
  await workbench.page.keyboard.press('Shift+End');
}

/** The text of the status bar item of the selection; empty if it is hidden. */
async function selectionItem(workbench) {
  return workbench.text('.statusbar-item[id$="selectionCycles"]');
}

/** The cycles of the whole selection. While the selection grows, the item may show those of a part. */
async function cyclesOfSelection(workbench) {
  const now = async () => Number(/(\d+) cycles?,/.exec(await selectionItem(workbench))?.[1]);
  return workbench.until('cycles in the status bar', async () => {
    const before = await now();
    await workbench.page.waitForTimeout(1000);
    return before === (await now()) && before;
  });
}

cases.set('selected lines have their cycles in the status bar', async (workbench) => {
  await reading(workbench);
  assert.equal(await selectionItem(workbench), '');
  await selectLines(workbench, 9, 23);
  const short = await cyclesOfSelection(workbench);
  await selectLines(workbench, 9, 27);
  const long = await cyclesOfSelection(workbench);
  assert.ok(long > short, `${long} > ${short}`);

  const item = workbench.page.locator('.statusbar-item[id$="selectionCycles"] a');
  await workbench.until('the tooltip', async () => {
    await item.hover();
    await workbench.page.waitForTimeout(1000);
    return (await workbench.text('.workbench-hover')).includes('pipeline');
  });

  const detail = '.monaco-editor .monaco-hover .hover-contents';
  await item.click();
  const shown = await workbench.until('the detail', async () => {
    const text = await workbench.text(detail);
    return text.includes(`${long}`) && /H100/.test(text) && text;
  });
  assert.match(shown, /pipeline/);
  await workbench.restMouse();
  await workbench.picture('selection');
  await workbench.page.keyboard.press('Escape');
  await workbench.until('the end of the detail', async () => !(await workbench.page.locator(detail).first().isVisible()));

  await selectLines(workbench, 9, 27);
  assert.equal(await cyclesOfSelection(workbench), long);
  workbench.settings({ 'warplens.selectionCycles': false });
  await workbench.until('no item', async () => (await selectionItem(workbench)) === '');
  workbench.settings({});
  assert.equal(await cyclesOfSelection(workbench), long);
  // Words within a single line have no cycles.
  await workbench.goToLine(27, 44);
  await workbench.page.keyboard.press('Shift+Home');
  await workbench.until('no item', async () => (await selectionItem(workbench)) === '');
  await workbench.command('warplens: Show Cycles of Selection');
  await workbench.until('what to do', async () => /select lines of a listing/.test(await workbench.text('.notifications-toasts')));
  await workbench.page.keyboard.press('Escape');
  // The lines above the first kernel contain no instructions.
  await selectLines(workbench, 1, 4);
  await workbench.page.waitForTimeout(1000);
  assert.equal(await selectionItem(workbench), '');
});

cases.set('a lens above a loop has its cycles per iteration', async (workbench) => {
  await reading(workbench);
  // From the `MOV R12, R8` of line 85 to the branch of line 535.
  await workbench.goToLine(85);
  const lens = await lensWith(workbench, 'cycles per iteration');
  assert.match(lens, /at best/);
  assert.match(lens, /hide/);
  await hintsBeside(workbench, '/*0270*/');
  await workbench.picture('loop-lens');
});

cases.set('the panel draws the kernel at the cursor', async (workbench) => {
  await reading(workbench);
  await workbench.goToLine(30);
  await workbench.command('warplens: Show Kernel Panel');
  const inside = await workbench.until('the page in the panel', async () => {
    for (const frame of workbench.page.frames()) {
      if (await frame.locator('#kernel h1').count().catch(() => 0)) return frame;
    }
    return undefined;
  });
  assert.equal(await inside.locator('h1').textContent(), 'sgemm16');
  const text = await inside.locator('#kernel').textContent();
  for (const part of ['Bottleneck scores', 'Occupancy', 'Registers', 'Shared memory', 'H100', 'pipeline model']) {
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  }
  assert.equal(await inside.locator('rect.track').count(), 5);
  assert.ok((await inside.locator('rect.bar').count()) >= 2);
  await workbench.page.keyboard.press('Control+B');
  await workbench.restMouse();
  await workbench.picture('panel');
  // Choosing an access in the panel with the keyboard moves the cursor to it and draws it.
  const accesses = inside.locator('button.access');
  const shared = accesses.filter({ hasText: /LDS .*wavefront/ });
  await shared.first().focus();
  await workbench.page.keyboard.press('ArrowDown');
  await workbench.page.keyboard.press('Enter');
  await workbench.until('the access that was chosen', async () => (await shared.nth(1).getAttribute('aria-pressed')) === 'true');
  assert.equal(await inside.locator('svg.request').count(), 2);
  await inside.locator('.memory h2').evaluate((heading) => heading.scrollIntoView());
  await workbench.restMouse();
  await workbench.picture('panel-memory');
  await workbench.page.keyboard.press('Control+B');
});

cases.set('a killed server is restarted, and its hints come back', async (workbench, server) => {
  await reading(workbench);
  const before = await onlyServer(workbench, server);
  kill(before[0], 'SIGKILL');
  const after = await workbench.until('another server', async () => {
    const now = server.languageServers();
    return now.length === 1 && now[0] !== before[0] && now;
  });
  // Hints of text that is typed after the kill can come only from the new server.
  await workbench.goToLine(27);
  await workbench.page.keyboard.press('Home');
  await workbench.page.keyboard.type('/*00a1*/                   FADD R4, R4, R5 ;\n', { delay: 5 });
  await hintsBeside(workbench, '/*00a1*/');
  await serverColours(workbench);
  assert.deepEqual(server.languageServers(), after);
  await workbench.picture('after-the-kill');
});

cases.set('a server that dies again and again stays down until it is restarted', async (workbench, server) => {
  await reading(workbench);
  await onlyServer(workbench, server);
  for (let deaths = 0; deaths < 5; deaths++) {
    const [alive] = await workbench.until(`server number ${deaths + 1}`, async () => server.languageServers().length === 1 && server.languageServers());
    // A server that dies before its first answer counts too, but is reported by another message.
    await workbench.page.waitForTimeout(1000);
    kill(alive, 'SIGKILL');
    await workbench.until('its end', async () => !server.languageServers().includes(alive));
  }
  await workbench.until('the message', async () => /ended 5 times/.test(await workbench.text('.notifications-toasts')));
  await workbench.page.waitForTimeout(2000);
  assert.deepEqual(server.languageServers(), []);
  await workbench.command('warplens: Restart the Server');
  await workbench.until('a server', async () => server.languageServers().length === 1);
  await hintsBeside(workbench, '/*0000*/');
});

cases.set('restart, version and state', async (workbench, server) => {
  await reading(workbench);
  const before = await onlyServer(workbench, server);
  await workbench.command('warplens: Restart the Server');
  await workbench.until('another server', async () => {
    const now = server.languageServers();
    return now.length === 1 && now[0] !== before[0];
  });
  await hintsBeside(workbench, '/*0000*/');
  await workbench.command('warplens: Show the Version');
  await workbench.until('the version', async () => /warplens 0\.\d+\.\d+ .*came with the extension/.test(await workbench.text('.notifications-toasts')));
  await workbench.command('warplens: Save Diagnostics');
  await workbench.until('the state', async () => (await workbench.lines()).some((line) => line.includes('State of warplens')));
  const state = (await workbench.lines()).join('\n');
  assert.match(state, /server: running/);
  assert.match(state, /sgemm\.txt.*the server's copy is the same/s);
});

cases.set('other files are left alone, and .sass files need the setting', async (workbench, server) => {
  const language = () => workbench.text('#status\\.editor\\.mode');
  await workbench.openFile('letter.txt');
  await workbench.until('the language', async () => /Plain Text/.test(await language()));
  await workbench.openFile('style.sass');
  await workbench.until('the language', async () => /\S/.test(await language()));
  await workbench.openFile('listing.sass');
  await workbench.page.waitForTimeout(1500);
  assert.doesNotMatch(await language(), /NVIDIA/);
  await workbench.until('no server', async () => server.languageServers().length === 0);
  workbench.settings({ 'warplens.recogniseSassFiles': true });
  await workbench.until('SASS', async () => /SASS \(NVIDIA\)/.test(await language()));
  await hintsBeside(workbench, '/*0000*/');
  await workbench.openFile('style.sass');
  await workbench.page.waitForTimeout(1500);
  assert.doesNotMatch(await language(), /NVIDIA/);
});

cases.set('a listing typed into a new document is recognised', async (workbench) => {
  await workbench.command('File: New Untitled Text File');
  await workbench.page.waitForSelector('.editor-group-container.active .view-line');
  await workbench.page.keyboard.type('\tcode for sm_90\n/*0000*/                   MOV R1, R2 ;\n', { delay: 10 });
  await workbench.until('SASS', async () => /SASS \(NVIDIA\)/.test(await workbench.text('#status\\.editor\\.mode')));
  await hintsBeside(workbench, '/*0000*/');
});

cases.set('a wrong path of the server is reported', async (workbench) => {
  await reading(workbench);
  workbench.settings({ 'warplens.server.path': '/bin/true' });
  await workbench.until('the message', async () => /\/bin\/true --version.* printed/.test(await workbench.text('.notifications-toasts')));
  await workbench.picture('wrong-path');
  workbench.settings({});
  await workbench.page.keyboard.press('Escape');
  await hintsBeside(workbench, '/*0000*/');
});

/** Writes a disassembler into the folder. It prints the listing next to it, and creates the file `has-run`. */
function withTool(folder, listing = 'tests/e2e/stand_in/tile.listing') {
  cpSync(join(process.env.WARPLENS_ROOT, listing), join(folder, 'tile.listing'));
  const tool = join(folder, 'nvdisasm');
  writeFileSync(tool, '#!/bin/sh\ncd "$(dirname "$0")" && touch has-run && cat tile.listing\n', { mode: 0o755 });
  writeSettings(folder, { 'warplens.disassembler': tool });
}

/** Waits for a message with a button `answer`, and returns the button. */
export async function said(workbench, text, answer) {
  const toast = workbench.page.locator('.notification-toast', { hasText: text });
  await toast.first().waitFor({ state: 'visible' });
  const button = toast.first().locator('.monaco-button', { hasText: answer });
  await button.first().waitFor({ state: 'visible' });
  return button.first();
}

/** Waits for a lens that contains `part`, and returns the text of all lenses. */
async function lensWith(workbench, part) {
  return workbench.until(`a lens with "${part}"`, async () => {
    const lens = await workbench.text('.codelens-decoration');
    return lens.includes(part) && lens;
  });
}

async function openCubin(workbench, server) {
  const cubin = join(workbench.folder, 'tile.cubin');
  const before = readFileSync(cubin);
  // After this, the workbench knows the extension's editors.
  await reading(workbench);
  await workbench.openFile('tile.cubin');
  await hintsBeside(workbench, '/*0070*/');
  assert.match(await workbench.text('#status\\.editor\\.mode'), /SASS \(NVIDIA\)/);
  await lensWith(workbench, '% occupancy');
  await workbench.picture('cubin');
  await workbench.until('a hover', async () => {
    await workbench.restMouse();
    await workbench.word('FADD').first().hover();
    await workbench.page.waitForTimeout(2000);
    return /cycles/.test(await workbench.text('.monaco-hover .hover-contents'));
  });
  await workbench.restMouse();
  await languageStatus(workbench, (text) => text.includes('H100'));
  await workbench.restMouse();

  await workbench.goToLine(6);
  await workbench.page.keyboard.press('Home');
  await workbench.page.keyboard.type('X', { delay: 5 });
  assert.ok(await workbench.line('/*0000*/'));
  assert.ok(!(await workbench.isThere('.tab.active.dirty')));

  // The cubin is compiled again.
  appendFileSync(join(workbench.folder, 'tile.listing'), '        /*00b0*/                   FMUL R8, R7, R7 ;\n');
  writeFileSync(cubin, before);
  await hintsBeside(workbench, '/*00b0*/');

  const [alive] = await onlyServer(workbench, server);
  kill(alive, 'SIGKILL');
  await workbench.until('another server', async () => server.languageServers().length === 1 && !server.languageServers().includes(alive));
  await hintsBeside(workbench, '/*00b0*/');
  await lensWith(workbench, '% occupancy');
  assert.deepEqual(readFileSync(cubin), before);
}
openCubin.before = (folder) => withTool(folder);
cases.set('a cubin opens as its listing, which follows the file', openCubin);

async function causeInCubin(workbench) {
  await reading(workbench);
  await workbench.openFile('tile.cubin');
  await hintsBeside(workbench, '/*0080*/');
  // The listing of a binary has one line for each instruction.
  await toTheCause(workbench, 6);
  assert.match(await workbench.text('.tab.active'), /tile\.cubin\.nvsass/);
}
causeInCubin.before = (folder) => withTool(folder, 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt');
cases.set('the hover of a stall leads to its cause in the listing of a cubin', causeInCubin);

cases.set('a cubin without a disassembler shows the resources of its kernels', async (workbench) => {
  await workbench.command('warplens: Open Binary as Listing');
  await workbench.pickRow('tile.cubin');
  // The click on the row suffices if the list already knows that it is not a folder.
  const choose = workbench.page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' });
  await workbench.until('the end of the list', async () => {
    if (!(await choose.isVisible())) return true;
    await choose.click({ timeout: 1000 });
    return false;
  });
  await workbench.until('the registers', async () => (await workbench.lines()).some((line) => line.includes('14 registers')));
  await said(workbench, /tile\.cubin: no disassembler found/, 'Set the Disassembler');
  await workbench.picture('cubin-without-tool');
});

async function inRestrictedMode(workbench) {
  await workbench.until('restricted mode', () => workbench.isThere('#status\\.workspaceTrust'));
  await reading(workbench);
  await workbench.openFile('tile.cubin');
  await workbench.until('the registers', async () => (await workbench.lines()).some((line) => line.includes('14 registers')));
  const answer = await said(workbench, /tile\.cubin: the workspace is not trusted/, 'Manage Trust');
  assert.ok(!existsSync(join(workbench.folder, 'has-run')));
  await workbench.picture('cubin-not-trusted');
  await answer.click();
  await workbench.page.locator('.workspace-trust-editor a', { hasText: /^Trust$/ }).first().click();
  const trust = workbench.page.locator('.workspace-trust-editor');
  await workbench.until('the end of the dialog', async () => {
    if ((await trust.count()) === 0 || !(await trust.first().isVisible())) return true;
    // The listing below the dialog may take the focus, and with it the keys, when it is redrawn.
    await trust.first().click({ position: { x: 5, y: 5 }, timeout: 1000 }).catch(() => {});
    await workbench.page.keyboard.press('Escape');
    return false;
  });
  await hintsBeside(workbench, '/*0070*/');
  assert.ok(existsSync(join(workbench.folder, 'has-run')));
}
inRestrictedMode.before = (folder) => withTool(folder);
inRestrictedMode.userSettings = {
  'security.workspace.trust.enabled': true,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.emptyWindow': true,
};
cases.set('no disassembler runs in a folder until it is trusted', inRestrictedMode);

/** Writes PTX of one kernel, and tools that produce its cubin and its listing. */
export function withCompiler(folder) {
  const standIn = join(process.env.WARPLENS_ROOT, 'tests/e2e/stand_in');
  cpSync(join(standIn, 'scale.ptx'), join(folder, 'größer.ptx'));
  for (const name of ['ptxas', 'nvdisasm', 'scale.cubin', 'scale.listing', 'tile.listing']) {
    cpSync(join(standIn, name), join(folder, 'tools', name));
  }
  const tool = (name) => join(folder, 'tools', name);
  writeSettings(folder, { 'warplens.ptxas.path': tool('ptxas'), 'warplens.disassembler': tool('nvdisasm') });
}

/** The visible lines of the inactive pane; if `isLit` is true, only the highlighted ones. */
async function otherPane(workbench, isLit) {
  const pane = workbench.page.locator('.editor-group-container:not(.active)').first();
  return linesOfPane(pane, isLit);
}

/** Opens the PTX and presses the button above it once it is enabled. */
async function pressShowSass(workbench) {
  await workbench.openFile('größer.ptx');
  const button = workbench.page.locator('.editor-actions .action-item:not(.disabled) [aria-label*="Show SASS"]:not(.disabled)');
  await button.first().click();
}

async function showSass(workbench) {
  await pressShowSass(workbench);
  await workbench.until('the tab of the listing', async () => (await workbench.text('.tab')).includes('größer.ptx.nvsass'));
  assert.match(await workbench.text('.tab.active'), /größer\.ptx(?!\.nvsass)/);
  await workbench.until('the listing', async () => (await otherPane(workbench)).some((line) => line.includes('10 registers')));
  await workbench.goToLine(29);
  const store = await workbench.until('the corresponding line', async () => {
    const lit = await otherPane(workbench, true);
    return lit.length === 1 && lit[0];
  });
  assert.match(store, /STG\.E/);
  await workbench.until('hints', async () => (await otherPane(workbench)).some((line) => /\/\*00e0\*\/.*\dc.*FMUL/.test(line)));
  await workbench.picture('show-sass');

  // From the listing to the PTX.
  await workbench.page.locator('.editor-group-container:not(.active) .view-line span span', { hasText: /^FMUL$/ }).first().click();
  const multiply = await workbench.until('the line of the PTX', async () => {
    const lit = await otherPane(workbench, true);
    return lit.length === 1 && lit[0].includes('mul.f32') && lit[0];
  });
  assert.match(multiply, /mul\.f32/);

  // An error of ptxas is shown at its line, and the listing stays.
  await workbench.page.keyboard.press('Control+1');
  await workbench.until('the PTX to be active', async () => /größer\.ptx(?!\.nvsass)/.test(await workbench.text('.tab.active')));
  await workbench.goToLine(29);
  await workbench.page.keyboard.press('Home');
  await workbench.page.keyboard.type('mov.u64 %rd4, %wrong; ', { delay: 5 });
  await workbench.command('warplens: Show SASS');
  const toast = workbench.page.locator('.notification-toast', { hasText: /größer\.ptx: ptxas: line 29: Unknown symbol '%wrong'/ });
  await toast.first().waitFor({ state: 'visible' });
  await workbench.page.keyboard.press('Control+Shift+M');
  await workbench.until('a problem', async () => /Unknown symbol '%wrong'.*ptxas/s.test(await workbench.text('.markers-panel .monaco-list-row')));
  await workbench.picture('ptxas-error');
}
showSass.before = withCompiler;
cases.set('PTX is compiled to a listing that stays in sync with it', showSass);

async function sassWithoutTool(workbench) {
  await pressShowSass(workbench);
  await said(workbench, /größer\.ptx: ptxas not found; it is part of the CUDA toolkit/, 'Set ptxas');
  await workbench.picture('no-ptxas');
}
sassWithoutTool.before = (folder) => {
  withCompiler(folder);
  writeSettings(folder, {});
};
cases.set('without ptxas, a message says how to get it', sassWithoutTool);

async function sassInRestrictedMode(workbench) {
  await workbench.openFile('größer.ptx');
  await workbench.command('warplens: Show SASS');
  await said(workbench, /größer\.ptx: .*not trusted/, 'Manage Trust');
  await workbench.picture('sass-not-trusted');
}
sassInRestrictedMode.before = withCompiler;
sassInRestrictedMode.userSettings = inRestrictedMode.userSettings;
cases.set('PTX is not compiled in a folder that is not trusted', sassInRestrictedMode);
