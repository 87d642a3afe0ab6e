// A headless Chromium that records the hosts of requests to other machines.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const OPTIONS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export class Chromium {
  static async start(stage, executablePath, width) {
    const browser = new Chromium();
    browser.foreign = new Set();
    browser.context = await chromium.launchPersistentContext(mkdtempSync(join(stage, 'chromium-')), {
      executablePath,
      headless: true,
      viewport: { width, height: 760 },
      permissions: ['clipboard-read', 'clipboard-write'],
      args: OPTIONS,
    });
    browser.page = browser.context.pages()[0] ?? (await browser.context.newPage());
    browser.context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      // Webviews use host names that their service worker answers.
      const isOurs = hostname === '127.0.0.1' || hostname.endsWith('localhost') || hostname.endsWith('.vscode-cdn.net');
      if (protocol.startsWith('http') && !isOurs) browser.foreign.add(hostname);
    });
    return browser;
  }

  async stop() {
    await this.context.close();
  }
}
