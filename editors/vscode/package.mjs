// Packs the extension. Its page in the editor can show only pictures from the network, so the pictures are removed from the text
// there; the walkthrough contains them. The sections for people who build the extension are removed, too.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const vsce = createRequire(import.meta.url)('./node_modules/@vscode/vsce/out/package.js');
const { values } = parseArgs({ options: { target: { type: 'string' }, out: { type: 'string' } } });

/** The page for the editor: the readme up to the section `Pictures`, without pictures. */
function page(readme) {
  const [shown] = readme.split('\n## Pictures\n');
  return shown.replace(/^!\[.*\]\(.*\)\n\n?/gm, '');
}

const { onFile } = vsce.MarkdownProcessor.prototype;
vsce.ReadmeProcessor.prototype.onFile = async function (file) {
  const isPage = /(^|\/)readme\.md$/i.test(file.path);
  return onFile.call(this, isPage ? { path: file.path, contents: Buffer.from(page(String(await vsce.read(file)))) } : file);
};

await vsce.packageCommand({
  cwd: dirname(fileURLToPath(import.meta.url)),
  target: values.target,
  packagePath: values.out,
  dependencies: false,
  skipLicense: true,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
