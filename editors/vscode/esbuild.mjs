// Bundles the extension, and copies the grammars and licences from elsewhere in the repository. With `--test`, bundles the tests.
import { build } from 'esbuild';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const shared = { absWorkingDir: here, bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--test')) {
  rmSync(join(here, 'dist/test'), { recursive: true, force: true });
  const tests = readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts'));
  await build({
    ...shared,
    entryPoints: tests.map((name) => `test/${name}`),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    outdir: 'dist/test',
  });
} else {
  await build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    format: 'cjs',
    external: ['vscode'],
    outfile: 'dist/extension.js',
    minify: true,
    legalComments: 'eof',
  });
  mkdirSync(join(here, 'syntaxes'), { recursive: true });
  for (const name of ['nvsass', 'ptx']) {
    const grammar = `${name}.tmLanguage.json`;
    cpSync(join(root, 'grammars/textmate', grammar), join(here, 'syntaxes', grammar));
  }
  for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) {
    cpSync(join(root, licence), join(here, licence));
  }
}
