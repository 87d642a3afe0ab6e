// Cases for writing SASS: proposals that appear without a command, right after the typed text.
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

export const writingCases = new Map();

const LISTING = 'sgemm.txt';
const ROW = '.suggest-widget.visible .monaco-list-row';

/** Time limit for a list to appear, in ms. */
const PATIENCE_MS = 5000;

/** Opens the listing, waits until the server has read it, and begins a line after the first instruction. */
async function begin(workbench) {
  await workbench.openFile(LISTING);
  await workbench.until('hints', async () => /\/\*0000\*\/.*\dc/.test(await workbench.line('/*0000*/')));
  await workbench.goToLine(8);
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.press('Enter');
}

/**
 * Presses a key and returns the milliseconds until the frame that draws a row which begins with one of `words`; undefined if no
 * such row appears. The class `visible` cannot be used: a timer of the editor sets it 100 ms after the rows, and it changes
 * nothing on screen.
 */
async function millisecondsTo(workbench, key, words) {
  await workbench.page.evaluate(
    ([row, first, patience]) => {
      globalThis.proposed = new Promise((resolve) => {
        globalThis.addEventListener(
          'keydown',
          () => {
            const start = performance.now();
            const look = () => {
              const onScreen = (one) => {
                const { left, top, width, height } = one.getBoundingClientRect();
                return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
              };
              const rows = [...document.querySelectorAll(row)].filter(onScreen).map((one) => one.textContent.trim());
              const waited = performance.now() - start;
              if (rows.some((text) => first.some((word) => text.startsWith(word)))) resolve(waited);
              else if (waited > patience) resolve(undefined);
              else requestAnimationFrame(look);
            };
            look();
          },
          { capture: true, once: true },
        );
      });
    },
    ['.suggest-widget .monaco-list-row', words, PATIENCE_MS],
  );
  await workbench.page.keyboard.press(key);
  return workbench.page.evaluate(() => globalThis.proposed);
}

/** Types opcodes at several speeds, each followed by a dot. Returns the times from the dot to the list, sorted, in ms. */
async function timesOfLists(workbench) {
  const times = [];
  for (const delay of [40, 120, 230, 400]) {
    for (const [opcode, words] of [['SHF', ['L', 'R']], ['FADD', ['RN', 'FTZ']]]) {
      await workbench.page.keyboard.type(opcode, { delay });
      const took = await millisecondsTo(workbench, '.', words);
      assert.ok(took !== undefined, `no list after ${opcode}. at ${delay} ms per key`);
      times.push(took);
      await workbench.page.keyboard.press('Escape');
      await workbench.page.keyboard.press('Escape');
      await workbench.page.keyboard.type(' ;');
      await workbench.page.keyboard.press('Enter');
    }
  }
  return times.sort((a, b) => a - b).map((time) => time.toFixed(0)).join(', ');
}

async function proposesModifiers(workbench) {
  // A provider that answers at once shows the time of the editor and the browser. It is timed first, because a new window is slow
  // for ten seconds with any provider.
  await workbench.openFile('at-once.trivial');
  await workbench.page.waitForTimeout(1000);
  const least = await timesOfLists(workbench);
  await begin(workbench);
  const ours = await timesOfLists(workbench);
  // The time depends on the load of the machine, so it is printed and not checked.
  console.log(`  the list after a dot: ${ours} ms after the key; of a provider that answers at once: ${least}`);
}
proposesModifiers.before = (folder) => writeFileSync(join(folder, 'at-once.trivial'), '\n');
writingCases.set('modifiers of SASS are proposed while the user types straight on', proposesModifiers);

/**
 * Records in each frame how far the visible instructions have moved from where they are now, in pixels. Returns a query of the
 * largest move.
 */
async function followLines(page) {
  await page.evaluate(() => {
    const isHint = (node) => /dyn-rule|ced-/.test(node.parentElement.className);
    const places = () => {
      const found = new Map();
      for (const line of document.querySelectorAll('.editor-group-container.active .view-lines .view-line')) {
        const address = /\/\*[0-9a-f]{4}\*\//.exec(line.textContent)?.[0];
        const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); address && node; node = texts.nextNode()) {
          const at = node.data.search(/[A-Z]{2,}/);
          if (at < 0 || isHint(node)) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          const { left, top } = range.getBoundingClientRect();
          found.set(address, { left, top, text: line.textContent });
          break;
        }
      }
      return found;
    };
    const start = places();
    globalThis.moves = { lines: start.size, frames: 0, pixels: 0, of: '' };
    const look = () => {
      globalThis.moves.frames += 1;
      for (const [address, { left, top, text }] of places()) {
        const before = start.get(address);
        const pixels = before ? Math.max(Math.abs(left - before.left), Math.abs(top - before.top)) : 0;
        if (pixels > globalThis.moves.pixels) Object.assign(globalThis.moves, { pixels, of: address, was: before.text, now: text });
      }
      requestAnimationFrame(look);
    };
    look();
  });
  return () => page.evaluate(() => globalThis.moves);
}

writingCases.set('a keystroke moves no other line', async (workbench) => {
  await begin(workbench);
  // The new line is indented like an encoding: text typed there would be out of view, and the editor would scroll to it.
  await workbench.page.keyboard.press('Shift+Home');
  await workbench.page.keyboard.press('Delete');
  // The results for the empty line have arrived after this time.
  await workbench.page.waitForTimeout(3000);
  const moves = await followLines(workbench.page);
  await workbench.page.keyboard.type('        IADD3 R5, R5, 0x1', { delay: 150 });
  await workbench.page.keyboard.press('Escape');
  await workbench.page.keyboard.type(', RZ ;', { delay: 150 });
  await workbench.page.waitForTimeout(3000);
  const { lines, frames, pixels, of, was, now } = await moves();
  console.log(`  ${lines} lines over ${frames} frames: moved by ${pixels} pixels at most`);
  assert.ok(lines > 10 && frames > 50, `${lines} lines, ${frames} frames`);
  assert.equal(pixels, 0, `${of} moved: ${was} became ${now}`);
});

writingCases.set('a list of modifiers describes each of them', async (workbench) => {
  await begin(workbench);
  await workbench.page.keyboard.type('ISETP.', { delay: 60 });
  const rows = await workbench.until('comparisons', async () => {
    const text = await workbench.text(ROW);
    return /LT/.test(text) && text;
  });
  assert.match(rows, /LT.*Tests less than/s);
  assert.doesNotMatch(rows, /Ordered comparisons|The comparison/);
  await workbench.picture('completion');
});

async function acceptControlCode(workbench) {
  await workbench.openFile('own.dsass');
  await workbench.until('hints', async () => /\dc/.test((await workbench.hints()).join()));
  await workbench.goToLine(6);
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.press('Home');
  await workbench.page.keyboard.type('[B', { delay: 100 });
  await workbench.takeProposal('[B------:R-:W-:-:S01]');
  await workbench.until('one bracket', async () => (await workbench.lines()).some((line) => line.includes('[B------:R-:W-:-:S01]') && !line.includes(']]') && !line.includes('/*')));
}
acceptControlCode.before = (folder) => cpSync(join(process.env.WARPLENS_ROOT, 'tests/corpus/sm_75/sgemm.cuassembler.dsass'), join(folder, 'own.dsass'));
writingCases.set('an accepted control code replaces the bracket that the editor has closed', acceptControlCode);

async function beginKernel(workbench) {
  await workbench.openFile('empty.nvsass');
  await workbench.until('the language', async () => /SASS/.test(await workbench.text('#status\\.editor\\.mode')));
  await workbench.page.locator('.editor-group-container.active .view-lines').click();
  // The server may still be starting.
  await workbench.until('kernels', async () => {
    await workbench.page.keyboard.press('Control+Space');
    await workbench.page.waitForTimeout(500);
    return (await workbench.text(ROW)).includes('kernel (maxas)');
  });
  await workbench.page.keyboard.type('maxas', { delay: 60 });
  await workbench.takeProposal('kernel (maxas)');
  await workbench.until('its text', () => workbench.line('--:-:1:-:1      S2R tid, SR_TID.X;'));
}
beginKernel.before = (folder) => writeFileSync(join(folder, 'empty.nvsass'), '');
writingCases.set('a kernel is proposed in an empty file', beginKernel);
