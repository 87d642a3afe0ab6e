// Actions of a user in the workbench, and queries of what it shows.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Time limit for each step, in ms; the machine may be busy. */
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

  /** Moves the mouse to an empty part of the status bar, where nothing reacts to it. */
  async restMouse() {
    await this.page.mouse.move(300, 744);
  }

  /** Waits until `seen` returns a truthy value, and returns that value. Throws an error after `patience` ms. */
  async until(what, seen, patience = PATIENCE_MS) {
    const end = Date.now() + patience;
    for (;;) {
      const value = await seen().catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** Scrolls an element into view, and tries again if its page was redrawn meanwhile. */
  async bring(thing) {
    await this.until('an element to scroll to', () => thing.scrollIntoViewIfNeeded().then(() => true));
  }

  /**
   * Accepts the proposal that begins with `text` once it is selected. A list that is still being filtered would close on Enter.
   */
  async takeProposal(text) {
    const chosen = '.suggest-widget.visible .monaco-list-row.focused';
    await this.until(`the proposal ${text}`, async () => (await this.text(chosen)).startsWith(text));
    await this.page.waitForTimeout(500);
    await this.page.keyboard.press('Enter');
  }

  /** The visible lines of the active editor, in order. Hints are part of their text. */
  async lines() {
    const lines = await this.page.$$eval('.editor-group-container.active .view-lines .view-line', (all) =>
      all
        .map((line) => ({ top: Number.parseFloat(line.style.top), text: line.textContent }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text),
    );
    return lines.map(plain);
  }

  /** The first visible line that contains `part`. */
  async line(part) {
    return (await this.lines()).find((line) => line.includes(part));
  }

  /** The texts of the visible hints. */
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

  /** Opens a list with `open`, types `words` and picks the row that contains `label`. */
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
        // The contents of the list depend on where the focus was when it opened. The focus returns to the editor shortly after a
        // box closes.
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

  /** Moves the cursor to a line and a column, both counted from 1. */
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

  /** The visible pieces of text that are exactly `word`, which is a regular expression, apart from white space. */
  word(word) {
    return this.page.locator('.editor-group-container.active .view-line span span', { hasText: new RegExp(`^[\\s\\u00a0]*${word}[\\s\\u00a0]*$`) });
  }

  /** Replaces the settings of the folder by writing the file. */
  settings(settings) {
    writeSettings(this.folder, settings);
  }

  async picture(name, folder = this.pictures) {
    mkdirSync(folder, { recursive: true });
    // Fading animations end within this time.
    await this.page.waitForTimeout(700);
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

/** The visible lines of a pane, in order; if `isLit` is true, only the highlighted ones. */
export async function linesOfPane(pane, isLit) {
  const drawn = (selector) =>
    pane.locator(selector).evaluateAll((all) =>
      all.map((one) => ({ top: one.getBoundingClientRect().top, text: one.textContent, shade: getComputedStyle(one).backgroundColor })),
    );
  const lines = (await drawn('.view-lines .view-line')).sort((a, b) => a.top - b.top);
  // The backgrounds of corresponding lines are paler than the highlight.
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

/** Replaces U+00A0, which the editor draws for spaces, and removes zero-width characters. */
function plain(text) {
  return text.replaceAll('\u00a0', ' ').replaceAll(/[\u200b-\u200f]/g, '');
}
