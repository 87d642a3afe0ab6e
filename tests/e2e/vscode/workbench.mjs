// What a person does in the workbench, and sees there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How long anything may take; the machine may be busy. */
const PATIENCE_MS = 45_000;

export class Workbench {
  static async open(page, address, folder, pictures) {
    const workbench = new Workbench();
    workbench.page = page;
    workbench.pictures = pictures;
    workbench.folder = folder;
    await page.goto(`${address}/?folder=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded', timeout: PATIENCE_MS });
    await page.waitForSelector('.monaco-workbench .explorer-folders-view .monaco-list-row', { timeout: PATIENCE_MS });
    return workbench;
  }

  /** Opens a file of the folder by its name. */
  async openFile(name) {
    await this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first().dblclick();
    await this.page.waitForSelector('.monaco-editor .view-line', { timeout: PATIENCE_MS });
    await this.restMouse();
    await this.until(`the tab of ${name}`, async () => (await this.text('.tab.active')).includes(name));
  }

  /** Puts the mouse where nothing answers to it: an empty part of the status bar. */
  async restMouse() {
    await this.page.mouse.move(300, 744);
  }

  /** Waits until `seen` gives something, and gives that. */
  async until(what, seen, patience = PATIENCE_MS) {
    const end = Date.now() + patience;
    for (;;) {
      const value = await seen().catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** Scrolls a thing into view, again where its page was drawn anew meanwhile. */
  async bring(thing) {
    await this.until('a thing to scroll to', () => thing.scrollIntoViewIfNeeded().then(() => true));
  }

  /** Takes the proposal that begins with `text` once it is the chosen one; a list that is still being filtered closes on Enter. */
  async takeProposal(text) {
    const chosen = '.suggest-widget.visible .monaco-list-row.focused';
    await this.until(`the proposal ${text}`, async () => (await this.text(chosen)).startsWith(text));
    await this.page.waitForTimeout(500);
    await this.page.keyboard.press('Enter');
  }

  /** What is in view of the active editor, a string for each line, in order; hints and lenses stand between. */
  async lines() {
    const lines = await this.page.$$eval('.editor-group-container.active .view-lines .view-line', (all) =>
      all
        .map((line) => ({ top: Number.parseFloat(line.style.top), text: line.textContent }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text),
    );
    return lines.map(plain);
  }

  /** The line in view that holds this. */
  async line(part) {
    return (await this.lines()).find((line) => line.includes(part));
  }

  /** The texts of the hints in view. */
  async hints() {
    const all = await this.page.$$eval('.editor-group-container.active .view-line span[class*="dyn-rule"], .editor-group-container.active .view-line span[class*="ced-"]', (spans) => spans.map((span) => span.textContent));
    return all.map(plain).filter((text) => text.trim() !== '');
  }

  async text(selector) {
    const all = await this.page.$$eval(selector, (elements) => elements.map((element) => element.textContent));
    return plain(all.join('\n'));
  }

  async isThere(selector) {
    return (await this.page.locator(selector).count()) > 0;
  }

  /** Runs a command by its title in the palette. */
  async command(title) {
    await this.pick(async () => this.page.keyboard.press('F1'), `>${title}`, title.split(': ').pop());
  }

  /** Opens a list with `open`, types `words` and takes the row that has `label` in it. */
  async pick(open, words, label) {
    const input = this.page.locator('.quick-input-widget input').first();
    const row = this.rowOf(label);
    await this.until(`"${label}" in a list to pick from`, async () => {
      await open();
      await input.waitFor({ state: 'visible', timeout: 3000 });
      await input.fill(words);
      try {
        await row.waitFor({ state: 'visible', timeout: 10_000 });
      } catch {
        // What the list has hangs on where the focus was when it opened, and that comes back to the editor a little later than a box closes.
        await this.page.keyboard.press('Escape');
        return false;
      }
      return true;
    });
    await row.click();
  }

  rowOf(label) {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first();
  }

  async pickRow(label) {
    const row = this.rowOf(label);
    await row.waitFor({ state: 'visible', timeout: PATIENCE_MS });
    await row.click();
  }

  /** Puts the cursor at the start of a line, counted from 1. */
  async goToLine(line, column = 1) {
    const input = this.page.locator('.quick-input-widget input').first();
    await this.until('the box for a line number', async () => {
      await this.page.keyboard.press('Control+G');
      await input.waitFor({ state: 'visible', timeout: 3000 });
      return true;
    });
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden', timeout: PATIENCE_MS });
  }

  /** The piece of the text in view that is exactly these characters, after `before` in its line where that is given. */
  word(word) {
    return this.page.locator('.editor-group-container.active .view-line span span', { hasText: new RegExp(`^[\\s\\u00a0]*${word}[\\s\\u00a0]*$`) });
  }

  /** Replaces the settings of the folder, as somebody who edits the file. */
  settings(settings) {
    writeSettings(this.folder, settings);
  }

  async picture(name, folder = this.pictures) {
    mkdirSync(folder, { recursive: true });
    // What fades in or out is done by then.
    await this.page.waitForTimeout(700);
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

/** The lines in view of a pane, in order; those alone that are lit up, where that is asked for. */
export async function linesOfPane(pane, isLit) {
  const drawn = (selector) =>
    pane.locator(selector).evaluateAll((all) =>
      all.map((one) => ({ top: one.getBoundingClientRect().top, text: one.textContent, shade: getComputedStyle(one).backgroundColor })),
    );
  const lines = (await drawn('.view-lines .view-line')).sort((a, b) => a.top - b.top);
  // The backgrounds of blocks are paler.
  const isBright = ({ shade }) => Number(/rgba\(.*, ([\d.]+)\)/.exec(shade)?.[1] ?? 1) > 0.2;
  const marks = isLit ? (await drawn('.view-overlays .cdr[class*="ced-"]')).filter(isBright) : lines;
  const lit = marks.map(({ top }) => lines.find((line) => Math.abs(line.top - top) < 3)?.text ?? '');
  return lit.map((line) => plain(line).trim());
}

/** Replaces a folder's settings. */
export function writeSettings(folder, settings) {
  mkdirSync(join(folder, '.vscode'), { recursive: true });
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
}

/** The editor draws spaces as U+00A0. */
function plain(text) {
  return text.replaceAll('\u00a0', ' ').replaceAll(/[\u200b-\u200f]/g, '');
}
